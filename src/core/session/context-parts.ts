import { loadConversation } from "../conversation/load-conversation.ts";
import { estimateText, estimateTokens } from "../conversation/tokens.ts";
import type { ModelMessage } from "../ports/model-message.ts";
import type { ToolSpec } from "../ports/model.ts";
import { toolSpecs } from "../turn/toolset.ts";
import type { SessionActor } from "./session-actor.ts";

/** A part of the next request and the tokens that it takes, estimated. */
export interface ContextPart {
  readonly name: string;
  readonly tokens: number;
}

/** Estimates what the next request of a session is made of. */
export async function contextParts(actor: SessionActor): Promise<readonly ContextPart[]> {
  await actor.refresh();
  const { preamble, log } = actor;
  const messages = (await loadConversation(log)).messages();
  const of = (role: ModelMessage["role"]): number =>
    estimateTokens(messages.filter((message) => message.role === role));
  const [mcp, own] = partition(toolSpecs(preamble.tools()), ({ name }) => name.startsWith("mcp_"));
  return [
    { name: "System prompt", tokens: estimateText(await preamble.system()) },
    { name: "Tools", tokens: toolTokens(own) },
    { name: "Tools of MCP servers", tokens: toolTokens(mcp) },
    { name: "What you wrote", tokens: of("user") },
    { name: "Answers and calls", tokens: of("assistant") },
    { name: "Results of tools", tokens: of("tool") },
  ].filter(({ tokens }) => tokens > 0);
}

const toolTokens = (specs: readonly ToolSpec[]): number =>
  specs.reduce(
    (sum, { name, description, parameters }) =>
      sum + estimateText(`${name}${description}${JSON.stringify(parameters)}`),
    0,
  );

function partition<T>(
  items: readonly T[],
  holds: (item: T) => boolean,
): readonly [readonly T[], readonly T[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))];
}
