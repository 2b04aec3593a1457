import type { MessageCreateParams } from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelRequest } from "../../../../core/index.ts";
import { defined } from "../../../../shared/json/defined.ts";
import { toolEncoder } from "../../request/tool-text.ts";
import type { RequestParts } from "../dialect.ts";
import { thinkingOf, usualOutput } from "../../catalog/families.ts";
import type { ModelSettings } from "../model-settings.ts";
import type { EncodedMessage } from "./messages.ts";

type Fields = Partial<Pick<MessageCreateParams, "thinking" | "output_config">>;

/**
 * The body of a messages request, as JSON text. The provider's cache is asked to keep what stands before three places:
 * the end of tools and system prompt, and the ends of the two newest messages of the user's role.
 */
export function messagesBody({ request, messages, settings, without }: RequestParts<EncodedMessage>): string {
  const { name, stream } = settings;
  const limit = request.maxOutputTokens ?? settings.maxOutputTokens ?? usualOutput(name);
  const mayThink = !without.has("thinking") && thinksOn(messages);
  const wish = mayThink ? thinkingFor(request, settings, limit) : {};
  const { system } = request;
  const tools = request.tools.map(toolText);
  // The system prompt stands after the tools: a mark on it covers both.
  const marked =
    system === "" ? tools.map((tool, place) => (place === tools.length - 1 ? cached(tool) : tool)) : tools;
  const fields = [
    `"model":${JSON.stringify(name)},"max_tokens":${limit}`,
    ...(system === "" ? [] : [`"system":[${cached(JSON.stringify({ type: "text", text: system }))}]`]),
    ...(tools.length === 0 ? [] : [`"tools":[${marked.join(",")}]`]),
    `"messages":[${joinedMessages(messages).join(",")}]`,
    ...(stream ? [`"stream":true`] : []),
    ...Object.entries(wish).map(([key, value]) => `"${key}":${JSON.stringify(value)}`),
  ];
  return `{${fields.join(",")}}`;
}

/** Neighbours of one role become one message; the ends of the two newest ones of the user's role are marked. */
function joinedMessages(messages: readonly EncodedMessage[]): readonly string[] {
  const joined: { readonly role: string; readonly blocks: readonly string[] }[] = [];
  for (const { role, blocks } of messages) {
    const last = joined.at(-1);
    if (last?.role === role) joined[joined.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else joined.push({ role, blocks });
  }
  const newest = new Set(joined.filter(({ role }) => role === "user").slice(-2));
  return joined.map((message) => {
    const { role, blocks } = message;
    const content = newest.has(message) ? [...blocks.slice(0, -1), ...blocks.slice(-1).map(cached)] : blocks;
    return `{"role":"${role}","content":[${content.join(",")}]}`;
  });
}

/** A block, as JSON text, with the mark of the cache. */
const cached = (block: string): string => `${block.slice(0, -1)},"cache_control":{"type":"ephemeral"}}`;

/** A turn that began without thinking, or with another model's, must go on without it. */
function thinksOn(messages: readonly EncodedMessage[]): boolean {
  const prompt = messages.findLastIndex((message) => message.prompt);
  const replies = messages.slice(prompt + 1).filter(({ role }) => role === "assistant");
  return replies.length === 0 || replies.some(({ thinks }) => thinks);
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
