import type { Agent } from "node:http";
import { parseArgs } from "node:util";

/**
 * The least that can be an agent on lines: the protocol of editors and that of the gateway, a model's stream, a tool that
 * runs a command. It keeps nothing, checks nothing, and loads what it needs when it is needed.
 */
const { values } = parseArgs({
  options: {
    model: { type: "string", default: "" },
    // A program and its arguments, as JSON: what stands around a command.
    walls: { type: "string", default: "[]" },
  },
});
const walls = JSON.parse(values.walls) as string[];

interface Message {
  readonly id: number | string;
  readonly method: string;
  readonly params: {
    readonly sessionId?: string;
    readonly session_id?: string;
    readonly text?: string;
    readonly prompt?: readonly { readonly text: string }[];
  };
}

interface Reply {
  readonly choices: readonly {
    readonly delta: {
      readonly content?: string;
      readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
    };
  }[];
}

let sessions = 0;
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (rest + text).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) answer(JSON.parse(line) as Message);
});

const say = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const tell = (type: string, session_id: string, payload: object): void =>
  say({ method: "event", params: { type, session_id, payload } });

function answer({ id, method, params }: Message): void {
  const { sessionId = "", session_id = "", text: prompt = params.prompt?.[0]?.text ?? "" } = params;
  const update = (text: string): void =>
    say({
      method: "session/update",
      params: {
        sessionId,
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      },
    });
  switch (method) {
    case "initialize":
      return say({ id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
    case "session/new":
      return say({ id, result: { sessionId: `s${(sessions += 1)}` } });
    case "session/prompt":
      return void turn(prompt, update).then(() => say({ id, result: { stopReason: "end_turn" } }));
    case "session.create":
      return say({ id, result: { session_id } });
    case "prompt.submit":
      say({ id, result: { status: "streaming" } });
      return void turn(prompt, (text) => tell("message.delta", session_id, { text })).then(() =>
        tell("message.complete", session_id, {}),
      );
    default:
      throw new Error(`no method ${method}`);
  }
}

let agent: Agent | undefined;

/** A turn: a reply, and as often as it asks for it a command and another reply. */
async function turn(prompt: string, take: (text: string) => void): Promise<void> {
  const messages: object[] = [{ role: "user", content: prompt }];
  for (;;) {
    const command = await reply(messages, take);
    if (command === "") return;
    messages.push({ role: "tool", content: await run(command) });
  }
}

/** Streams one reply; gives the command that it asks for. */
async function reply(messages: readonly object[], take: (text: string) => void): Promise<string> {
  const http = await import("node:http");
  agent ??= new http.Agent({ keepAlive: true });
  const body = JSON.stringify({ model: "test-model", stream: true, messages });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let begun = "";
  let command = "";
  const call = http.request(
    `${values.model}/chat/completions`,
    { method: "POST", agent, headers },
    (response) => {
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const lines = (begun + chunk).split("\n");
        begun = lines.pop() ?? "";
        for (const line of lines) {
          if (!line.startsWith("data: {")) continue;
          const delta = (JSON.parse(line.slice(6)) as Reply).choices[0]?.delta;
          if (delta?.content !== undefined) take(delta.content);
          command += delta?.tool_calls?.[0]?.function.arguments ?? "";
        }
      });
      response.on("end", () => resolve(command));
    },
  );
  call.on("error", reject);
  call.end(body);
  return await promise;
}

/** Runs a command in a shell, in its walls where there are some, and gives what it says. */
async function run(call: string): Promise<string> {
  const { spawn } = await import("node:child_process");
  const { command } = JSON.parse(call) as { command: string };
  const [file, ...args] = [...walls, "sh", "-c", command];
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  const { promise, resolve } = Promise.withResolvers<string>();
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
  child.on("close", () => resolve(output));
  return await promise;
}
