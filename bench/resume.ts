import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openHost } from "agent-host";
import { readIdentity, sqliteStore } from "agent-host/store";
import { say, scriptedModelWith } from "agent-host/testing";
import { median, report, timed } from "./figures.ts";
import { benchHome } from "./gateway-process.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/** An old conversation comes back: how long an editor and a terminal wait for it, and for its next turn. */
const ROUNDS = 15;
const TURNS = 500;
const ANSWER = "A sentence of an answer. ".repeat(10);

await using model = await startModelProcess(["--tokens", "3"]);
using home = benchHome(model.baseUrl, "  context_length: 100000000\n");
const { folder } = home;

const store = await sqliteStore({ home: folder, identity: readIdentity(process.pid) });
const host = await openHost({ store, models: scriptedModelWith({ otherwise: () => [say(ANSWER)] }) });
const ids: Record<"acp" | "rpc", string> = { acp: "", rpc: "" };
for (const way of ["acp", "rpc"] as const) {
  const session = await host.open({ platform: way === "acp" ? "acp" : "cli", cwd: folder });
  for (let turn = 0; turn < TURNS; turn += 1) await session.submit({ text: `prompt ${turn}` }).result;
  ids[way] = session.id;
}
await host.close();
await store[Symbol.asyncDispose]();

const file = join(folder, "messages.jsonl");
const lines = Array.from({ length: TURNS }, (_, turn) => [
  { role: "user", content: `prompt ${turn}` },
  { role: "assistant", content: ANSWER },
]).flat();
writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
const floor = [process.execPath, plainProgram("session"), "--model", model.baseUrl, "--file", file];

interface Waits {
  readonly load: number;
  readonly turn: number;
}

/** As an editor loads a session and asks something. */
async function overAcp(program: readonly string[]): Promise<Waits> {
  await using client = new LineClient(home.env, program);
  await client.initialize();
  await client.open(folder);
  const sessionId = ids.acp;
  const prompt = [{ type: "text", text: "hi" }];
  const load = await timed(() => client.request("session/load", { sessionId, cwd: folder, mcpServers: [] }));
  const turn = await timed(() => client.request("session/prompt", { sessionId, prompt }));
  return { load, turn };
}

/** As a client of the gateway resumes a session and asks something. */
async function overGateway(program: readonly string[]): Promise<Waits> {
  await using client = new LineClient(home.env, program);
  await client.request("session.create", {});
  const over = Promise.withResolvers<void>();
  client.onMessage = ({ params }) => {
    if (params?.type === "message.complete") over.resolve();
  };
  const resumed = { session_id: "" };
  const load = await timed(async () => {
    const { session_id } = await client.request("session.resume", { session_id: ids.rpc });
    resumed.session_id = String(session_id);
  });
  const turn = await timed(async () => {
    await client.request("prompt.submit", { ...resumed, text: "hi" });
    await over.promise;
  });
  return { load, turn };
}

for (const [name, measure, command] of [
  ["ACP", overAcp, "acp"],
  ["gateway", overGateway, "rpc"],
] as const) {
  const [ours, bare]: [Waits[], Waits[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    bare.push(await measure(floor));
    ours.push(await measure(agentCommandLine(command)));
  }
  const both = (key: keyof Waits) => [ours, bare].map((list) => median(list.map((each) => each[key])));
  for (const [what, key] of [
    [`${TURNS} turns resumed, ${name}`, "load"],
    ["... the first turn after", "turn"],
  ] as const) {
    const [value = Number.NaN, least = Number.NaN] = both(key);
    report(what, value, { unit: "ms", floor: least, goal: { ratio: 2 } });
  }
}
