import type {
  RequestPermissionRequest,
  ToolCallContent,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { NO_IMAGES, textBlock } from "../projection/content-blocks.ts";
import type { ClientCapabilities } from "../session/client-capabilities.ts";
import type { PermissionQuestion } from "../session/client-peer.ts";
import { permissionOptions } from "../session/permission-options.ts";
import { callContent } from "./encoder.ts";

/** Writes a permission request about the call that the client sees, with everything needed to decide. */
export function permissionRequest(
  { sessionId, request, call }: PermissionQuestion,
  capabilities: ClientCapabilities,
): RequestPermissionRequest {
  const { callId, content = call?.content ?? [], locations = call?.locations ?? [], child } = request;
  const kind = call?.kind ?? "other";
  const why: ToolCallContent = { type: "content", content: textBlock(request.description) };
  const toolCall: ToolCallUpdate = {
    toolCallId: call?.callId ?? callId,
    title: call?.title ?? request.command,
    kind,
    status: "pending",
    // The call of a subagent says why already.
    content: [...callContent(content, { kind, images: NO_IMAGES }), ...(child === undefined ? [why] : [])],
    locations: [...locations],
    ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
  };
  return { sessionId, toolCall, options: permissionOptions(request, capabilities) };
}
