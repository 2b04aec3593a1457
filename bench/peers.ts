import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, report } from "./figures.ts";
import { agentCommandLine } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { type Peer, startPeer, top, within } from "./peer-process.ts";
import {
  atOnce,
  beginning,
  type Dated,
  DATED_TURNS,
  datedTurn,
  type Figures,
  type LeftSession,
  manyTurns,
  noFigures,
  resumed,
  type Row,
  ROWS,
  toolCalls,
} from "./peer-rows.ts";
import { plainProgram } from "./plain-program.ts";

/**
 * Other agents beside this one, over the editors' protocol, on one model that answers at once, in turns and in one run.
 *
 *     node bench/peers.ts --peers peers.json [--turns 500] [--sessions 200] [--only codex]
 *
 * The file lists who is there, as bench/peers.example.json does; commands are found from where this is started. `{url}` is
 * the model's address, ending in `/v1`, `{host}` the same without that, `{home}` a new folder that is the agent's HOME.
 * Install them where you like: nothing here does. Who fails or hangs in one thing is left out of its rows.
 */
const { values } = parseArgs({
  options: {
    peers: { type: "string" },
    turns: { type: "string", default: "500" },
    sessions: { type: "string", default: "200" },
    rounds: { type: "string", default: "7" },
    only: { type: "string", multiple: true },
  },
});
const TURNS = Number(values.turns);
const SESSIONS = Number(values.sessions);
const ROUNDS = Number(values.rounds);
const LONG = 300;
const TOKENS = 200;
const PACE_MS = 10;

const settings =
  'model:\n  provider: local\n  base_url: {url}\n  default: test-model\n  context_length: 100000000\napprovals:\n  mode: "off"\nterminal:\n  backend: local\n';
/** The history that the floor loads: as much text as the turns of the model have. */
const history = Array.from({ length: TURNS }, () =>
  [
    { role: "user", content: "hi" },
    { role: "assistant", content: "word word word " },
  ].map((line) => `${JSON.stringify(line)}\n`),
).flat();
const floor: Peer = {
  name: "floor",
  command: [process.execPath, plainProgram("session"), "--model", "{url}", "--file", "{home}/history.jsonl"],
  files: { "history.jsonl": history.join("") },
};
/** Has many sessions and a tool, and keeps nothing. */
const forgetful: Peer = {
  name: "floor",
  command: [process.execPath, plainProgram("agent"), "--model", "{url}"],
  shell: { name: "terminal", arguments: { command: "true" } },
};
const others: readonly Peer[] = [
  {
    name: "agent",
    command: agentCommandLine("acp"),
    env: { AGENT_HOME: "{home}" },
    files: { "config.yaml": settings },
    shell: { name: "terminal", arguments: { command: "true" } },
  },
  ...(values.peers === undefined ? [] : (JSON.parse(readFileSync(values.peers, "utf8")) as readonly Peer[])),
].filter(({ name }) => values.only?.includes(name) ?? true);

const figures = new Map([floor, ...others].map(({ name }) => [name, noFigures()]));
const failed = new Set<string>();

/** Does something with a peer; one that fails in it is left out of that from then on. */
async function tried(
  what: string,
  { name }: Peer,
  {
    measure,
    seconds = 60,
  }: { readonly measure: (into: Figures) => Promise<unknown>; readonly seconds?: number },
): Promise<void> {
  const into = figures.get(name);
  const mark = `${name}: ${what}`;
  if (into === undefined || failed.has(mark)) return;
  try {
    await within(measure(into), seconds);
  } catch (thrown) {
    failed.add(mark);
    console.log(`${mark} is left out: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** One process after the other takes a turn, so that a busy machine hits all alike. */
async function ages(url: string): Promise<void> {
  const running = new Map<Peer, Dated>();
  for (const peer of [floor, ...others])
    await tried("ages", peer, {
      async measure() {
        const process = await startPeer(peer, url);
        running.set(peer, { process, sessionId: await process.client.open(process.cwd) });
      },
    });
  for (let round = 0; round < DATED_TURNS; round += 1)
    for (const [peer, dated] of running)
      await tried("ages", peer, { measure: (into) => datedTurn(dated, round, into) });
  for (const { process } of running.values()) await process.client.end();
}

const MODEL = fileURLToPath(new URL("./peer-model.ts", import.meta.url));
await using model = await startModelProcess([], MODEL);
await using calling = await startModelProcess(["--calls"], MODEL);
await using stamps = await startModelProcess(["--stamps", "--tokens", "40", "--pace", "6"], MODEL);
await using slow = await startModelProcess(["--tokens", String(TOKENS), "--pace", String(PACE_MS)], MODEL);

for (let round = 0; round < ROUNDS; round += 1)
  for (const peer of [floor, ...others])
    await tried("beginnings", peer, { measure: (into) => beginning(peer, model.baseUrl, into) });

const left = new Map<Peer, LeftSession>();
for (const peer of [floor, ...others])
  await tried("turns", peer, {
    measure: async (into) =>
      left.set(peer, await manyTurns(peer, { url: model.baseUrl, turns: TURNS }, into)),
    seconds: LONG,
  });
for (let round = 0; round < ROUNDS; round += 1)
  for (const [peer, session] of left)
    await tried("resuming", peer, {
      measure: (into) => resumed(peer, { url: model.baseUrl, left: session }, into),
    });
await ages(stamps.baseUrl);
for (const peer of [forgetful, ...others])
  await tried("calls", peer, { measure: (into) => toolCalls(peer, calling.baseUrl, into) });
const crowd = { url: slow.baseUrl, sessions: SESSIONS, tokens: TOKENS, paceMs: PACE_MS };
for (const peer of [forgetful, ...others])
  await tried(`${SESSIONS} at once`, peer, { measure: (into) => atOnce(peer, crowd, into), seconds: LONG });

for (const [row, [name, unit]] of Object.entries(ROWS) as [Row, (typeof ROWS)[Row]][]) {
  const bare = median(figures.get(floor.name)?.[row] ?? []);
  for (const [peer, all] of figures)
    if (peer !== floor.name && all[row].length > 0)
      report(`${name}, ${peer}`, median(all[row]), { unit, floor: bare });
}
rmSync(top, { recursive: true, force: true });
process.exit();
