import type { RequestPermissionRequest, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import { textPart } from "../../core/index.ts";
import { NO_IMAGES } from "../projection/content-blocks.ts";
import { callContent } from "../projection/update-encoder.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import type { PermissionQuestion } from "../session/client-peer.ts";
import { permissionOptions } from "../session/permission-options.ts";
import { permissionText } from "../session/permission-text.ts";
import { encodeDiff } from "./encoder.ts";

/** Writes a permission request about the call that the client sees, with everything needed to decide. */
export function permissionRequest(
  question: PermissionQuestion,
  capabilities: ClientCapabilities,
): RequestPermissionRequest {
  const { sessionId, request, call } = question;
  const { callId, locations = call?.locations ?? [] } = request;
  const { title, content, words } = permissionText(question);
  const toolCall: ToolCallUpdate = {
    toolCallId: call?.callId ?? callId,
    title,
    kind: call?.kind ?? "other",
    status: "pending",
    // Its parts are fenced already where they have to be.
    content: callContent([...content, textPart(words)], { kind: "other", images: NO_IMAGES }, encodeDiff),
    locations: [...locations],
    ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
  };
  return { sessionId, toolCall, options: permissionOptions(request, capabilities) };
}
