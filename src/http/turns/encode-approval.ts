import { defined } from "../../shared/json/defined.ts";
import type { ApprovalRequest } from "../../core/index.ts";

/** An open approval as clients are shown it. */
export function encodeApprovalRequest({
  requestId,
  toolName,
  command,
  description,
  patterns,
  choices,
  content,
}: ApprovalRequest) {
  return {
    request_id: requestId,
    tool: toolName,
    command,
    description,
    pattern_key: patterns[0] ?? "",
    pattern_keys: patterns,
    choices,
    allow_session: choices.includes("session"),
    allow_permanent: choices.includes("always"),
    ...defined({ content }),
  };
}
