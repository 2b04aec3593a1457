import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { median, report } from "./figures.ts";
import { memoryOfAll } from "./gateway-process.ts";
import { agentCommandLine, LineClient } from "./line-client.ts";
import { startModelProcess } from "./model-process.ts";
import { plainProgram } from "./plain-program.ts";

/**
 * Other agents beside this one, over the editors' protocol, on one model that answers at once, in turns and in one run.
 *
 *     node bench/peers.ts --peers peers.json [--turns 500] [--only codex]
 *
 * The file lists who is there, as bench/peers.example.json does; commands are found from where this is started. `{url}` is the model's address, ending in `/v1`, `{host}` the
 * same without that, `{home}` a new folder that is the agent's HOME. Install them where you like: nothing here does.
 */
const { values } = parseArgs({
  options: {
    peers: { type: "string" },
    turns: { type: "string", default: "500" },
    rounds: { type: "string", default: "7" },
    only: { type: "string", multiple: true },
  },
});
const TURNS = Number(values.turns);
const ROUNDS = Number(values.rounds);
/** Milliseconds until what runs after a start is over, and that a turn may take. */
const SETTLED = 2000;
const PATIENCE = 60_000;
/** The text of the model. */
const TEXT = /\bword\b|@\d/;

/** An agent of the file. */
interface Peer {
  readonly name: string;
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Files of its home, by their path in it. */
  readonly files?: Readonly<Record<string, string>>;
  /** The way of signing in that it asks for before a session. */
  readonly authenticate?: string;
}

const settings =
  "model:\n  provider: local\n  base_url: {url}\n  default: test-model\n  context_length: 100000000\n";
const floor = plainProgram("session");
const peers: readonly Peer[] = [
  { name: "floor", command: [process.execPath, floor, "--model", "{url}"] },
  {
    name: "agent",
    command: agentCommandLine("acp"),
    env: { AGENT_HOME: "{home}" },
    files: { "config.yaml": settings },
  },
  ...(values.peers === undefined ? [] : (JSON.parse(readFileSync(values.peers, "utf8")) as readonly Peer[])),
].filter(({ name }) => name === "floor" || (values.only?.includes(name) ?? true));

const top = mkdtempSync(join(tmpdir(), "agent-bench-"));

/** A process of a peer that was greeted, with a session. */
async function start(peer: Peer, url: string) {
  const home = mkdtempSync(join(top, "home-"));
  const cwd = join(home, "work");
  mkdirSync(cwd);
  const filled = (text: string): string =>
    text.replaceAll("{url}", url).replaceAll("{host}", url.replace(/\/v1$/, "")).replaceAll("{home}", home);
  for (const [path, text] of Object.entries(peer.files ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), filled(text));
  }
  const own = Object.entries(peer.env ?? {}).map(([name, value]) => [name, filled(value)]);
  const env = { PATH: process.env["PATH"], TERM: "dumb", HOME: home, ...Object.fromEntries(own) };
  const began = performance.now();
  const client = new LineClient(env, peer.command.map(filled), "ignore");
  await client.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
  const greeted = performance.now() - began;
  if (peer.authenticate !== undefined) await client.request("authenticate", { methodId: peer.authenticate });
  const sessionId = await client.open(cwd);
  const turn = async (): Promise<{ readonly first: number; readonly total: number }> => {
    const asked = performance.now();
    let first = Number.NaN;
    client.onUpdate = ({ sessionUpdate, content }) => {
      // Some say something of their own before the model is even asked.
      const isText = sessionUpdate === "agent_message_chunk" && TEXT.test(content?.text ?? "");
      if (isText && Number.isNaN(first)) first = performance.now() - asked;
    };
    await client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] });
    return { first, total: performance.now() - asked };
  };
  return { client, turn, began, greeted };
}

/** Gives up on a peer that hangs. */
async function within<T>(work: Promise<T>, what: string): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${what}: nothing in ${PATIENCE / 1000} s`)), PATIENCE);
  return await Promise.race([work, promise]).finally(() => clearTimeout(timer));
}

const ROWS = {
  greeted: ["spawn to first protocol answer", "ms"],
  begun: ["spawn to first turn done", "ms"],
  idle: ["RSS idle", "MB"],
  after: ["RSS after a turn", "MB"],
  first: ["prompt to first text", "ms"],
  total: ["warm turn", "ms"],
  late: [`turn, around turn ${TURNS}`, "ms"],
  last: [`RSS after ${TURNS} turns`, "MB"],
  age: ["model byte to client", "ms"],
} as const;
type Row = keyof typeof ROWS;
type Figures = Record<Row, number[]>;
const none = (): Figures => ({
  greeted: [],
  begun: [],
  idle: [],
  after: [],
  first: [],
  total: [],
  late: [],
  last: [],
  age: [],
});

async function beginnings(peer: Peer, url: string, into: Figures): Promise<void> {
  const { client, turn, began, greeted } = await start(peer, url);
  into.greeted.push(greeted);
  await turn();
  into.begun.push(performance.now() - began);
  await client.end();
}

async function manyTurns(peer: Peer, url: string, into: Figures): Promise<void> {
  const { client, turn } = await start(peer, url);
  await new Promise((resolve) => setTimeout(resolve, SETTLED));
  into.idle.push(memoryOfAll(client.pid));
  await turn();
  into.after.push(memoryOfAll(client.pid));
  for (let index = 1; index < TURNS; index += 1) {
    const { first, total } = await within(turn(), peer.name);
    if (index > 10 && index <= 110) into.first.push(first);
    if (index > 10 && index <= 110) into.total.push(total);
    if (index >= TURNS - 15) into.late.push(total);
  }
  into.last.push(memoryOfAll(client.pid));
  await client.end();
}

const MICROSECONDS = 1000n;
/** Turns before those that are looked at, and how many these are. */
const WARM_TURNS = 2;
const AGE_TURNS = 30;

/** One process after the other takes a turn, so that a busy machine hits all alike. */
async function ages(url: string): Promise<void> {
  const running = new Map<Peer, Awaited<ReturnType<typeof start>>>();
  for (const peer of figures.keys())
    await tried(peer, async () => void running.set(peer, await start(peer, url)));
  for (let round = 0; round < WARM_TURNS + AGE_TURNS; round += 1)
    for (const [peer, { client, turn }] of running)
      await tried(peer, async (into) => {
        const asked = turn();
        const { onUpdate } = client;
        client.onUpdate = (update) => {
          const now = Number(process.hrtime.bigint() / MICROSECONDS);
          for (const [, written] of (update.content?.text ?? "").matchAll(/@(\d+) /g))
            if (round >= WARM_TURNS) into.age.push((now - Number(written)) / 1000);
          onUpdate(update);
        };
        await asked;
      });
  for (const { client } of running.values()) await client.end();
}

const MODEL = fileURLToPath(new URL("./peer-model.ts", import.meta.url));
await using model = await startModelProcess([], MODEL);
await using stamps = await startModelProcess(["--stamps", "--tokens", "40", "--pace", "6"], MODEL);
const figures = new Map(peers.map((peer) => [peer, none()]));
const failed = new Set<Peer>();
for (let round = 0; round < ROUNDS; round += 1)
  for (const peer of figures.keys()) await tried(peer, (into) => beginnings(peer, model.baseUrl, into));
for (const peer of figures.keys()) await tried(peer, (into) => manyTurns(peer, model.baseUrl, into));
await ages(stamps.baseUrl);

/** Does something with a peer that is still in; one that fails is left out from then on. */
async function tried(peer: Peer, measure: (into: Figures) => Promise<void>): Promise<void> {
  const into = figures.get(peer);
  if (into === undefined || failed.has(peer)) return;
  try {
    await within(measure(into), peer.name);
  } catch (thrown) {
    failed.add(peer);
    console.log(`${peer.name} is left out: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

for (const [row, [name, unit]] of Object.entries(ROWS) as [Row, (typeof ROWS)[Row]][]) {
  const [[, bare = none()] = []] = figures;
  for (const [peer, all] of figures)
    if (peer.name !== "floor" && all[row].length > 0)
      report(`${name}, ${peer.name}`, median(all[row]), { unit, floor: median(bare[row]) });
}
rmSync(top, { recursive: true, force: true });
process.exit();
