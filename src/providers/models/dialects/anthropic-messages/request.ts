import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelMessage, ModelRequest } from "../../../../core/index.ts";
import { defined } from "../../../../shared/json/defined.ts";
import { toolEncoder, toolsField } from "../../request/tool-text.ts";
import type { BodyFrame, FrameParts } from "../dialect.ts";
import { thinkingOf, usualOutput } from "../../catalog/families.ts";
import type { ModelSettings } from "../model-settings.ts";
import { BLOCK_END, MESSAGE_END, roleOf } from "./messages.ts";

type Fields = Partial<Pick<MessageCreateParams, "thinking" | "output_config">>;

/**
 * What a messages request says beside its messages. The provider's cache is asked to keep what stands before three
 * places: the end of tools and system prompt, and the ends of the two newest messages of the user's role.
 */
export function messagesFrame({ request, settings, without, thinks }: FrameParts): BodyFrame {
  const { name, stream } = settings;
  const { system, messages } = request;
  const limit = request.maxOutputTokens ?? settings.maxOutputTokens ?? usualOutput(name);
  const mayThink = !without.has("thinking") && thinksOn(messages, thinks);
  const wish = mayThink ? thinkingFor(request, settings, limit) : {};
  const tools = request.tools.map(toolText);
  // The system prompt stands after the tools: a mark on it covers both.
  const marked =
    system === "" ? tools.map((tool, place) => (place === tools.length - 1 ? cached(tool) : tool)) : tools;
  return {
    head: [
      `{"model":${JSON.stringify(name)},"max_tokens":${limit}`,
      ...(system === "" ? [] : [`,"system":[`, cached(JSON.stringify({ type: "text", text: system })), "]"]),
      ...toolsField(marked),
      `,"messages":[`,
    ],
    tail: [
      messages.length === 0 ? "" : BLOCK_END + MESSAGE_END,
      stream ? `],"stream":true` : "]",
      ...Object.entries(wish).map(([key, value]) => `,"${key}":${JSON.stringify(value)}`),
      "}",
    ],
    marks: cacheMarks(messages),
  };
}

/** The mark of the cache, within a block. */
const MARK = `,"cache_control":{"type":"ephemeral"}`;

/** A block or tool, as JSON text, with the mark of the cache. */
const cached = (block: string): string => `${block.slice(0, -1)}${MARK}}`;

/** Marks the ends of the two newest messages of the user's role; neighbours of one role are one message. */
function cacheMarks(messages: readonly ModelMessage[]): ReadonlyMap<number, string> {
  const marks = new Map<number, string>();
  let after: string | undefined;
  for (let place = messages.length - 1; place >= 0 && marks.size < 2; place -= 1) {
    const message = messages[place];
    if (message === undefined) break;
    const role = roleOf(message);
    if (role === "user" && after !== "user") marks.set(place, MARK);
    after = role;
  }
  return marks;
}

/** A turn that began without thinking, or with another model's, must go on without it. */
function thinksOn(messages: readonly ModelMessage[], thinks: FrameParts["thinks"]): boolean {
  const prompt = messages.findLastIndex(({ role }) => role === "user");
  const replies = messages.slice(prompt + 1).filter(({ role }) => role === "assistant");
  return replies.length === 0 || replies.some(thinks);
}

/** Tokens to think with. */
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 4096,
  medium: 10_000,
  high: 24_000,
  xhigh: 32_000,
  max: 60_000,
};
const LEAST_BUDGET = 1024;
/** Tokens that a reply needs beside its thinking. */
const LEAST_ANSWER = 1024;
const EFFORTS: Readonly<Record<string, "low" | "medium" | "high" | "max">> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "max",
  max: "max",
};

function thinkingFor(
  { reasoning }: ModelRequest,
  { name, reasoning: takes }: ModelSettings,
  limit: number,
): Fields {
  const way = thinkingOf(name, takes);
  if (way === undefined || reasoning === undefined || reasoning === "none") return {};
  if (way === "adaptive") {
    const effort = EFFORTS[reasoning];
    return defined({ thinking: { type: "adaptive" } as const, output_config: effort && { effort } });
  }
  const budget = Math.min(BUDGETS[reasoning] ?? 0, limit - LEAST_ANSWER);
  return budget < LEAST_BUDGET ? {} : { thinking: { type: "enabled", budget_tokens: budget } };
}

const toolText = toolEncoder(({ name, description, parameters }) => ({
  name,
  description,
  input_schema: parameters,
}));
