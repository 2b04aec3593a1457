import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { dialectOf, type SpokenDialect } from "./dialects.ts";
import { type AskedReply, lastPrompt, promptName, tokenText } from "./history.ts";

/** What the model does when it is asked a prompt. */
export interface PromptPlan {
  readonly tokens: number;
  /** Milliseconds before each token. */
  readonly paceMs: number;
  /** Characters that stand behind each token, for a reply that is large. */
  readonly filler?: number;
  /** A command that it calls before it says its text. */
  readonly command?: string;
  /** So many requests are answered with 429 first. */
  readonly refusals?: number;
  /** The first stream breaks behind so many tokens. */
  readonly breaksAfter?: number;
  /** The first stream says nothing more behind so many tokens, and stays open. */
  readonly stallsAfter?: number;
}

/** A model for agents of all kinds, which says to each prompt what was planned for it, and keeps what it was asked. */
export interface FaultsModel extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  plan(prompt: number, plan: PromptPlan): void;
  /** The requests for replies to a prompt, in their order. */
  repliesTo(prompt: number): readonly AskedReply[];
}

/** Names that agents give the tool that runs a command. */
const COMMAND_TOOLS = ["terminal", "bash", "shell_command", "exec_command", "shell"];
const RESULT = /"role":\s*"tool"|function_call_output/;
const RETRY_AFTER_S = "1";

interface Asked {
  readonly answer: ServerResponse;
  readonly text: string;
  readonly dialect: SpokenDialect;
}

/** Starts the model. */
export async function startFaultsModel(): Promise<FaultsModel> {
  const plans = new Map<number, PromptPlan>();
  const replies = new Map<number, AskedReply[]>();
  const attempts = new Map<number, number>();
  const onRequest = async (request: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const path = new URL(request.url ?? "/", "http://127.0.0.1").pathname;
    const pieces: Buffer[] = [];
    // A body without an encoding comes as buffers.
    for await (const piece of request) pieces.push(piece as Buffer);
    const asked: Asked = { answer, text: Buffer.concat(pieces).toString(), dialect: dialectOf(path) };
    const prompt = lastPrompt(asked.text);
    const plan = prompt && plans.get(prompt.number);
    // Whatever agents ask beside a turn, such as titles, has no tools.
    if (prompt === undefined || plan === undefined || !/"tools":\s*\[\s*\{/.test(asked.text))
      return answerBeside(asked);
    const attempt = attempts.get(prompt.number) ?? 0;
    attempts.set(prompt.number, attempt + 1);
    if (attempt < (plan.refusals ?? 0)) return refuse(answer);
    const isSecond = RESULT.test(asked.text.slice(prompt.at));
    const mine = replies.get(prompt.number) ?? [];
    replies.set(prompt.number, mine);
    const place = mine.push({ prompt: prompt.number, step: isSecond ? 1 : 0, isWhole: false }) - 1;
    const isWhole = await reply(asked, { ...plan, number: prompt.number, isSecond, isFirst: attempt === 0 });
    const kept = mine[place];
    if (kept !== undefined) mine[place] = { ...kept, isWhole };
  };
  const server = createServer({ noDelay: true }, (request, answer) => {
    onRequest(request, answer).catch(() => answer.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    plan: (prompt, plan) => void plans.set(prompt, plan),
    repliesTo: (prompt) => replies.get(prompt) ?? [],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refuse(answer: ServerResponse): void {
  answer.writeHead(429, { "retry-after": RETRY_AFTER_S, "content-type": "application/json" });
  const error = { message: "Too many requests", type: "rate_limit", code: 429 };
  answer.end(JSON.stringify({ error }));
}

function answerBeside({ answer, text, dialect }: Asked): void {
  const isStreamed = /"stream":\s*true/.test(text);
  if (isStreamed) {
    answer.writeHead(200, { "content-type": "text/event-stream" });
    answer.end(dialect.begin + dialect.text("A title") + dialect.end("text"));
    return;
  }
  answer.writeHead(200, { "content-type": "application/json" });
  const message = { role: "assistant", content: "A title" };
  answer.end(
    JSON.stringify({
      object: "list",
      data: [{ id: "test-model", object: "model" }],
      choices: [{ index: 0, message, finish_reason: "stop" }],
    }),
  );
}

interface Said extends PromptPlan {
  readonly number: number;
  /** It has the result of its command. */
  readonly isSecond: boolean;
  /** Nothing was asked for this prompt before. */
  readonly isFirst: boolean;
}

/** Says a reply; `true` when all of it was taken. */
async function reply({ answer, text, dialect }: Asked, said: Said): Promise<boolean> {
  const over = new AbortController();
  answer.on("close", () => over.abort());
  answer.writeHead(200, { "content-type": "text/event-stream" });
  if (said.command !== undefined && !said.isSecond) {
    const { name, input } = commandCall(text, said.command);
    answer.end(dialect.begin + dialect.call(name, input) + dialect.end("call"));
    return true;
  }
  answer.write(dialect.begin);
  for (let place = 0; place < said.tokens; place += 1) {
    if (said.isFirst && place === said.breaksAfter) {
      answer.destroy();
      return false;
    }
    if (said.isFirst && place === said.stallsAfter) await once(over.signal, "abort");
    if (said.paceMs > 0) await pause(said.paceMs);
    if (over.signal.aborted) return false;
    const token = tokenText({ prompt: said.number, place }) + "x".repeat(said.filler ?? 0);
    if (!answer.write(dialect.text(token)) && !over.signal.aborted)
      await Promise.race([once(answer, "drain"), once(over.signal, "abort")]);
  }
  answer.end(dialect.end("text"));
  return !over.signal.aborted;
}

/** A call of the tool with which this agent runs commands, as its description asks for it. */
function commandCall(text: string, command: string): { readonly name: string; readonly input: object } {
  const name = COMMAND_TOOLS.find((each) => text.includes(`"name":"${each}"`)) ?? "terminal";
  if (name === "exec_command") return { name, input: { cmd: command } };
  if (name === "shell") return { name, input: { command: ["sh", "-c", command] } };
  return { name, input: name === "bash" ? { command, description: "Says where it is" } : { command } };
}

/** The command of a prompt: it leaves a line in a file, then takes its time. */
export function commandOf(prompt: number, { file, seconds }: { file: string; seconds: number }): string {
  return `echo ${promptName(prompt)} >> ${file}; sleep ${seconds}; echo did ${promptName(prompt)}`;
}
