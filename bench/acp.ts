import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHost } from "agent-host";
import { serveAcp } from "agent-host/acp";
import { readIdentity, sqliteStore } from "agent-host/store";
import {
  modelServer,
  PeakMemory,
  say,
  scriptedModel,
  scriptedModelWith,
  type Step,
} from "agent-host/testing";
import { benchHost } from "./bench-host.ts";
import { median, report } from "./figures.ts";
import { LineClient } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { timedGate } from "./timed-gate.ts";

/** What an editor waits for: a further session, the first words, a flood of them, and an old conversation. */
const TOKENS = 20_000;
const TURNS = 500;
const FLOOD = 200_000_000;

const folder = mkdtempSync(join(tmpdir(), "agent-bench-"));
const home = join(folder, "home");
const env = { ...process.env, AGENT_HOME: home };

const sessions: number[] = [];
for (let index = 0; index < 15; index += 1) {
  await using client = new LineClient(env);
  await client.initialize();
  await client.open(folder);
  for (let more = 0; more < 5; more += 1) {
    const asked = performance.now();
    await client.open(folder);
    sessions.push(performance.now() - asked);
  }
}
report("session/new on a warm process", median(sessions), { unit: "ms" });

{
  await using model = await startModelProcess(["--tokens", String(TOKENS), "--writes", String(TOKENS)]);
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, "config.yaml"),
    `model:\n  provider: local\n  base_url: ${model.baseUrl}\n  default: m\n  context_length: 100000000\n`,
  );
  await using client = new LineClient(env);
  await client.initialize();
  const sessionId = await client.open(folder);
  const rates: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    let text = 0;
    client.onUpdate = ({ sessionUpdate, content }) => {
      if (sessionUpdate === "agent_message_chunk") text += content?.text?.length ?? 0;
    };
    const started = performance.now();
    await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] });
    rates.push(TOKENS / ((performance.now() - started) / 1000));
    if (text !== TOKENS * 3) throw new Error(`lost text: ${text} characters`);
  }
  report("tokens per second to the client", median(rates), { unit: "/s" });
}

{
  const flood = `head -c ${FLOOD} /dev/zero | tr '\\0' x`;
  await using server = await modelServer.startModelServer();
  const { callTool, reply } = modelServer;
  const run = (command: string) => reply([callTool("terminal", { command })]);
  server.script(run("echo warm"), reply("ready"), run(flood), reply("done"));
  writeFileSync(
    join(home, "config.yaml"),
    `model:\n  provider: local\n  base_url: ${server.baseUrl}\n  default: m\napprovals:\n  mode: "off"\n`,
  );
  await using client = new LineClient(env);
  await client.initialize();
  const sessionId = await client.open(folder);
  const prompt = [{ type: "text", text: "run it" }];
  await client.request("session/prompt", { sessionId, prompt });
  const memory = new PeakMemory(client.pid);
  await client.request("session/prompt", { sessionId, prompt });
  report("a tool that prints 200 MB, RSS at its highest", memory.growth, { unit: "MB" });
}

{
  const store = await sqliteStore({ home, identity: readIdentity(process.pid) });
  const models = scriptedModelWith({ otherwise: () => [say("A sentence of an answer. ".repeat(10))] });
  const host = await openHost({ store, models });
  const session = await host.open({ platform: "acp", cwd: folder });
  for (let turn = 0; turn < TURNS; turn += 1) await session.submit({ text: `prompt ${turn}` }).result;
  await host.close();
  await store[Symbol.asyncDispose]();
  const loads: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await using client = new LineClient(env);
    await client.initialize();
    await client.open(folder);
    const started = performance.now();
    await client.request("session/load", { sessionId: session.id, cwd: folder, mcpServers: [] });
    loads.push(performance.now() - started);
  }
  report(`session/load of ${TURNS} turns`, median(loads), { unit: "ms" });
}

// In this process, so that one clock sees both ends.
const sent: number[] = [];
const pieces: Step[] = [];
for (let index = 0; index < 300; index += 1)
  pieces.push({ type: "wait", gate: timedGate(sent) }, { type: "text", text: `${index} ` });
await using bench = await benchHost(scriptedModel(pieces));
const latencies: number[] = [];
const input = new TransformStream<Uint8Array, Uint8Array>(undefined, { highWaterMark: 100 });
const writer = input.writable.getWriter();
const answered = Promise.withResolvers<void>();
const ask = (id: number, method: string, params: object): void =>
  void writer.write(Buffer.from(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`));
const serving = serveAcp(Promise.resolve(bench.host), {
  transport: {
    input: input.readable,
    write(text) {
      const at = sent[latencies.length];
      if (text.includes("agent_message_chunk") && at !== undefined) latencies.push(performance.now() - at);
      const { id, result } = JSON.parse(text.split("\n", 1)[0] ?? "") as {
        id?: number;
        result?: { sessionId?: string };
      };
      if (id === 2) {
        const prompt = [{ type: "text", text: "hi" }];
        ask(3, "session/prompt", { sessionId: result?.sessionId, prompt });
      }
      if (text.includes("stopReason")) answered.resolve();
      return Promise.resolve();
    },
  },
  process: {
    version: "0",
    readText: () => Promise.resolve(undefined),
    stopProcesses: () => Promise.resolve(0),
  },
  signal: new AbortController().signal,
});
ask(1, "initialize", { protocolVersion: 1 });
ask(2, "session/new", { cwd: folder, mcpServers: [] });
await answered.promise;
await writer.close();
await serving;
report("model text to session/update", median(latencies), { unit: "ms" });
rmSync(folder, { recursive: true });
