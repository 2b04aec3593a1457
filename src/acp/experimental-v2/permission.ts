import type {
  RequestPermissionRequest,
  RequestPermissionSubject,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { NO_IMAGES } from "../projection/content-blocks.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import { permissionOptions } from "../session/permission-options.ts";
import type { PermissionQuestion } from "../session/client-peer.ts";
import { callContent } from "./encoder.ts";

/** Writes a permission request about the call that the client sees, with everything needed to decide. */
export function permissionRequest(
  question: PermissionQuestion,
  abilities: ClientCapabilities,
): RequestPermissionRequest {
  const { sessionId, request, call } = question;
  return {
    sessionId,
    title: call?.title ?? request.command,
    description: request.description,
    subject: subjectOf(question),
    options: permissionOptions(request, abilities).map((option) => ({ ...option })),
  };
}

function subjectOf({ request, call, cwd }: PermissionQuestion): RequestPermissionSubject {
  const { callId, command, content = [], locations = [] } = request;
  const kind = call?.kind ?? "other";
  if (kind === "execute") return { type: "command", command, cwd, toolCallId: callId, terminalId: callId };
  const shown = callContent(content.length > 0 ? content : (call?.content ?? []), {
    kind,
    images: NO_IMAGES,
  });
  const places = locations.length > 0 ? locations : (call?.locations ?? []);
  return {
    type: "tool_call",
    toolCall: {
      toolCallId: call?.callId ?? callId,
      title: call?.title ?? command,
      kind,
      status: "pending",
      ...(shown.length === 0 ? {} : { content: shown }),
      locations: [...places],
      ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
    },
  };
}
