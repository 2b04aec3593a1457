import type {
  PermissionOption,
  RequestPermissionRequest,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { type ApprovalRequest, isJsonObject } from "../../core/index.ts";
import type { ClientAbilities } from "../abilities.ts";
import { fenced, textBlock } from "../encode/blocks.ts";
import type { PermissionAnswer, PermissionQuestion } from "../session/client-peer.ts";
import { callContent } from "./encoder.ts";

type Choice = ApprovalRequest["choices"][number];

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
    toolCallId: callId,
    title: call?.title ?? request.command,
    kind,
    status: "pending",
    content: diffs.length > 0 ? diffs : [{ type: "content", content: textBlock(words) }],
    locations: [...(locations.length > 0 ? locations : (call?.locations ?? []))],
    ...(call === undefined ? {} : { name: call.name, rawInput: call.input }),
  };
  return { sessionId, toolCall, options: optionsOf(request, abilities) };
}

/** What a client answered. What was never offered is no permission. */
export function permissionAnswer(answer: unknown, request: ApprovalRequest): PermissionAnswer {
  const outcome = isJsonObject(answer) ? answer["outcome"] : undefined;
  if (!isJsonObject(outcome) || outcome["outcome"] !== "selected") return undefined;
  return request.choices.find((choice) => choice === outcome["optionId"]);
}

function optionsOf(
  { choices, patterns }: ApprovalRequest,
  { manyOptions }: ClientAbilities,
): PermissionOption[] {
  const scope = scopeOf(patterns);
  const words: Readonly<Record<Choice, Omit<PermissionOption, "optionId">>> = {
    once: { name: "Allow once", kind: "allow_once" },
    session: { name: `Always allow ${scope} in this session`, kind: "allow_always" },
    always: { name: `Always allow ${scope}, in every session`, kind: "allow_always" },
    deny: { name: "Reject", kind: "reject_once" },
  };
  // Some clients key options by their kind: of two that are alike they would show one.
  return choices
    .filter((choice) => choice !== "always" || manyOptions || !choices.includes("session"))
    .map((choice) => ({ optionId: choice, ...words[choice] }));
}

const LONGEST_SCOPE = 60;

function scopeOf(patterns: readonly string[]): string {
  const all = patterns.map((pattern) => `\`${pattern}\``).join(", ");
  return all.length <= LONGEST_SCOPE
    ? all
    : `\`${(patterns[0] ?? "").slice(0, LONGEST_SCOPE)}\` and the like`;
}
