import { readFileSync } from "node:fs";
import type { Agent } from "node:http";
import { parseArgs } from "node:util";

/**
 * The least that can be an agent with a memory: it keeps the messages of one session and posts all of them with each
 * prompt. A session that it loads comes from a file of messages, one on a line.
 */
const { values } = parseArgs({
  options: { model: { type: "string", default: "" }, file: { type: "string", default: "" } },
});

interface Kept {
  readonly role: string;
  readonly content: string;
}
interface Request {
  readonly id: number | string;
  readonly method: string;
  readonly params: {
    readonly text?: string;
    readonly prompt?: readonly { readonly text: string }[];
  };
}

const sessionId = "s1";
let kept: Kept[] = [];
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void answer(JSON.parse(line) as Request);
});

const say = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const update = (sessionUpdate: string, text: string): void =>
  say({
    method: "session/update",
    params: { sessionId, update: { sessionUpdate, content: { type: "text", text } } },
  });

const tell = (type: string, payload: object): void =>
  say({ method: "event", params: { type, session_id: sessionId, payload } });

async function answer({ id, method, params }: Request): Promise<void> {
  switch (method) {
    case "initialize":
      return say({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
    case "session/new":
    case "session.create":
      return say({ id, result: { sessionId, session_id: sessionId } });
    case "session/load":
      load();
      for (const { role, content } of kept)
        update(role === "user" ? "user_message_chunk" : "agent_message_chunk", content);
      return say({ id, result: {} });
    case "session.resume":
      load();
      return say({ id, result: { session_id: sessionId, messages: kept } });
    case "session/prompt":
      await turn(params.prompt?.[0]?.text ?? "", (text) => update("agent_message_chunk", text));
      return say({ id, result: { stopReason: "end_turn" } });
    case "prompt.submit":
      say({ id, result: { status: "streaming" } });
      await turn(params.text ?? "", (text) => tell("message.delta", { text }));
      return tell("message.complete", {});
    default:
      throw new Error(`no method ${method}`);
  }
}

function load(): void {
  const lines = readFileSync(values.file, "utf8").split("\n");
  kept = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Kept);
}

let agent: Agent | undefined;

async function turn(prompt: string, take: (text: string) => void): Promise<void> {
  kept.push({ role: "user", content: prompt });
  const http = await import("node:http");
  agent ??= new http.Agent({ keepAlive: true });
  const body = JSON.stringify({ model: "test-model", stream: true, messages: kept });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let begun = "";
  let said = "";
  const url = `${values.model}/chat/completions`;
  const call = http.request(url, { method: "POST", agent, headers }, (response) => {
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const lines = (begun + chunk).split("\n");
      begun = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith("data: {")) continue;
        const reply = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
        const text = reply.choices[0]?.delta.content;
        if (text === undefined) continue;
        take(text);
        said += text;
      }
    });
    response.on("end", resolve);
  });
  call.on("error", reject);
  call.end(body);
  await promise;
  kept.push({ role: "assistant", content: said });
}
