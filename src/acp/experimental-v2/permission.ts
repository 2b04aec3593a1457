import type {
  RequestPermissionRequest,
  RequestPermissionSubject,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { NO_IMAGES } from "../projection/content-blocks.ts";
import { callContent } from "../projection/update-encoder.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { permissionOptions } from "../session/permission-options.ts";
import type { PermissionQuestion } from "../session/client-peer.ts";
import { permissionText } from "../session/permission-text.ts";
import { encodeDiff } from "./encoder.ts";

/** Writes a permission request about the call that the client sees, with everything needed to decide. */
export function permissionRequest(
  question: PermissionQuestion,
  abilities: ClientCapabilities,
): RequestPermissionRequest {
  const { sessionId, request } = question;
  const { title, words } = permissionText(question);
  return {
    sessionId,
    title,
    description: words,
    subject: subjectOf(question),
    options: permissionOptions(request, abilities).map((option) => ({ ...option })),
  };
}

function subjectOf(question: PermissionQuestion): RequestPermissionSubject {
  const { request, call, cwd } = question;
  const { callId, locations = [] } = request;
  const { title, exact: command, content } = permissionText(question);
  const kind = call?.kind ?? "other";
  if (kind === "execute") return { type: "command", command, cwd, toolCallId: callId, terminalId: callId };
  const places = locations.length > 0 ? locations : (call?.locations ?? []);
  return {
    type: "tool_call",
    toolCall: {
      toolCallId: call?.callId ?? callId,
      title,
      kind,
      status: "pending",
      content: callContent(content, { kind: "other", images: NO_IMAGES }, encodeDiff),
      locations: [...places],
      ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
    },
  };
}
