import { pathToFileURL } from "node:url";
import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  type SamplingMessage,
  type SamplingMessageContentBlock,
} from "@modelcontextprotocol/client";
import { fillForm } from "./elicitation.ts";
import { visibleText } from "./visible-text.ts";
import type { RunningCall, RunningCalls } from "./running-call.ts";
import type { McpServer } from "./server.ts";
import type { McpHost, SampleRequest } from "./host.ts";

/** Tokens that a server gets at most for one question to the model. */
const MOST_TOKENS = 4096;
/** Characters that it may ask with. */
const LONGEST_QUESTION = 100_000;
/** Questions to the model that one call may ask. */
const MOST_SAMPLES = 10;

/** Answers what a server asks of this side: always on behalf of the session whose call it works on. */
export function answerRequests(
  client: Client,
  server: McpServer,
  { host, calls }: { readonly host: McpHost; readonly calls: RunningCalls },
): void {
  client.setRequestHandler("roots/list", () => {
    const roots = calls.roots();
    return {
      roots: (roots.length === 0 ? [host.cwd] : roots).map((path) => ({ uri: pathToFileURL(path).href })),
    };
  });
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const call = calls.asked();
    if (call === undefined || params.mode === "url") return { action: "cancel" };
    const { message, requestedSchema } = params;
    return await call.whileAsking(() =>
      fillForm(server.name, { message, requestedSchema }, (question) => call.context.ask(question)),
    );
  });
  const { sample } = host;
  if (server.sampling !== true || sample === undefined) return;
  const asked = new WeakMap<RunningCall, number>();
  client.setRequestHandler("sampling/createMessage", async ({ params }, { mcpReq }) => {
    const call = calls.asked();
    if (call === undefined) throw refused("it may only ask the model while it works on a session's call");
    const count = (asked.get(call) ?? 0) + 1;
    asked.set(call, count);
    if (count > MOST_SAMPLES) throw refused(`one call may ask the model ${MOST_SAMPLES} times`);
    const signal = AbortSignal.any([mcpReq.signal, call.signal]);
    const { text, model, isCut } = await call.whileAsking(() =>
      sample({
        server: server.name,
        session: call.context.session.id,
        system: visibleText(params.systemPrompt ?? "", LONGEST_QUESTION),
        messages: questionOf(params.messages),
        maxTokens: Math.min(params.maxTokens, MOST_TOKENS),
        signal,
      }),
    );
    return {
      role: "assistant",
      model,
      content: { type: "text", text },
      stopReason: isCut ? "maxTokens" : "endTurn",
    };
  });
}

/** Brings a question into the form that every model endpoint takes: the user begins, and the two alternate. */
function questionOf(messages: readonly SamplingMessage[]): SampleRequest["messages"] {
  const turns: { role: "user" | "assistant"; text: string }[] = [];
  for (const { role, content } of messages) {
    const text = [content].flat().map(textOf).join("\n");
    const last = turns.at(-1);
    if (last?.role === role) last.text = `${last.text}\n${text}`;
    else turns.push({ role, text });
  }
  if (turns[0]?.role !== "user") throw refused("a question begins with a message of the user's");
  if (turns.reduce((sum, { text }) => sum + text.length, 0) > LONGEST_QUESTION)
    throw refused(`a question has at most ${LONGEST_QUESTION} characters`);
  return turns;
}

function textOf(block: SamplingMessageContentBlock): string {
  if (block.type === "text") return block.text;
  throw refused("only text can be asked this way");
}

const refused = (why: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidRequest, `Not asked: ${why}.`);
