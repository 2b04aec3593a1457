import { defined } from "../../shared/json/defined.ts";
import { ruleWords } from "../../shared/text/rule-words.ts";
import { type ApprovalRequest, questionText } from "../../core/index.ts";

/** An open approval as clients are shown it. */
export function encodeApprovalRequest(request: ApprovalRequest) {
  const { requestId, toolName, choices, content, details, place, scopes, reasons = [] } = request;
  const { exact: command, words: description, patterns } = questionText(request);
  return {
    request_id: requestId,
    tool: toolName,
    command,
    description,
    pattern_key: patterns[0] ?? "",
    pattern_keys: patterns,
    ...(reasons.length === 0 ? {} : { reasons }),
    covers: patterns.map(ruleWords),
    choices,
    allow_session: choices.includes("session"),
    allow_permanent: choices.includes("always"),
    ...defined({
      content,
      details,
      place,
      scopes: scopes?.map((scope) => ({ ...scope, covers: scope.rules.map(ruleWords) })),
    }),
  };
}
