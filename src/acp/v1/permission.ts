import type { RequestPermissionRequest, ToolCallUpdate } from "@agentclientprotocol/sdk/unstable";
import type { ClientAbilities } from "../abilities.ts";
import { fenced, textBlock } from "../encode/blocks.ts";
import { permissionOptions } from "../encode/permission-options.ts";
import type { PermissionQuestion } from "../session/client-peer.ts";
import { callContent } from "./encoder.ts";

/** A permission request about the call that the client sees, with everything needed to decide. */
export function permissionRequest(
  { sessionId, request, call, cwd }: PermissionQuestion,
  abilities: ClientAbilities,
): RequestPermissionRequest {
  const { callId, content = [], locations = [] } = request;
  const kind = call?.kind ?? "other";
  const shown = callContent(content, { kind, images: new Map() });
  const diffs = shown.length > 0 ? shown : callContent(call?.content ?? [], { kind, images: new Map() });
  const words = kind === "execute" ? `${fenced(request.command)}\nin ${cwd}` : request.description;
  const toolCall: ToolCallUpdate = {
    toolCallId: call?.callId ?? callId,
    title: call?.title ?? request.command,
    kind,
    status: "pending",
    content: diffs.length > 0 ? diffs : [{ type: "content", content: textBlock(words) }],
    locations: [...(locations.length > 0 ? locations : (call?.locations ?? []))],
    ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
  };
  return { sessionId, toolCall, options: permissionOptions(request, abilities) };
}
