import { setTimeout as pause } from "node:timers/promises";
import { percentile, timed } from "./figures.ts";
import { memoryOfAll } from "./gateway-process.ts";
import type { LineClient } from "./line-client.ts";
import { HI, type Peer, type PeerProcess, startPeer, takeTurn, within } from "./peer-process.ts";

/** The rows of the report, with their units. */
export const ROWS = {
  greeted: ["spawn to first protocol answer", "ms"],
  opened: ["session/new on a fresh process", "ms"],
  begun: ["spawn to first turn done", "ms"],
  idle: ["RSS idle", "MB"],
  after: ["RSS after a turn", "MB"],
  first: ["prompt to first text", "ms"],
  total: ["warm turn", "ms"],
  late: ["turn, around the last one", "ms"],
  last: ["RSS after the last turn", "MB"],
  age: ["model byte to client", "ms"],
  call: ["a tool call, shell", "ms"],
  load: ["all turns resumed", "ms"],
  loaded: ["... the first turn after", "ms"],
  wall: ["sessions at once: wall / ideal", ""],
  firsts: ["... first token p99", "ms"],
} as const;

/** A row of the report. */
export type Row = keyof typeof ROWS;
/** The figures of one peer. */
export type Figures = Record<Row, number[]>;

/** Makes a report without figures. */
export const noFigures = (): Figures => {
  const figures: Partial<Figures> = {};
  // The keys of the table are its rows.
  for (const row of Object.keys(ROWS) as Row[]) figures[row] = [];
  return figures as Figures;
};

/** Milliseconds until what runs after a start is over. */
const SETTLED_MS = 2000;
/** Editors start an agent ahead: a person opens a conversation later. */
const MOMENT_MS = 1000;

/** Starts a peer for one turn. */
export async function beginning(peer: Peer, url: string, into: Figures): Promise<void> {
  const { client, cwd, began, greeted } = await startPeer(peer, url);
  into.greeted.push(greeted);
  const sessionId = await client.open(cwd);
  await takeTurn(client, sessionId);
  into.begun.push(performance.now() - began);
  await client.end();
}

/** A session that was left. */
export interface LeftSession {
  readonly home: string;
  readonly sessionId: string;
}

/** Takes many turns in one session, and leaves it. */
export async function manyTurns(
  peer: Peer,
  { url, turns }: { readonly url: string; readonly turns: number },
  into: Figures,
): Promise<LeftSession> {
  const { client, cwd, home } = await startPeer(peer, url);
  const sessionId = await client.open(cwd);
  await pause(SETTLED_MS);
  into.idle.push(memoryOfAll(client.pid));
  await takeTurn(client, sessionId);
  into.after.push(memoryOfAll(client.pid));
  for (let index = 1; index < turns; index += 1) {
    const { first, total } = await within(takeTurn(client, sessionId));
    if (index > 10 && index <= 110) into.first.push(first);
    if (index > 10 && index <= 110) into.total.push(total);
    if (index >= turns - 15) into.late.push(total);
  }
  into.last.push(memoryOfAll(client.pid));
  await client.end();
  return { home, sessionId };
}

/** Loads a session in a new process, which has opened another one before, and takes a turn in it. */
export async function resumed(
  peer: Peer,
  { url, left }: { readonly url: string; readonly left: LeftSession },
  into: Figures,
): Promise<void> {
  const { client, cwd } = await startPeer(peer, url, left.home);
  await pause(MOMENT_MS);
  into.opened.push(await timed(() => client.open(cwd)));
  const { sessionId } = left;
  into.load.push(await timed(() => client.request("session/load", { sessionId, cwd, mcpServers: [] })));
  into.loaded.push((await takeTurn(client, sessionId)).total);
  await client.end();
}

/** What a call of a shell adds to a turn, with the model's second answer. */
export async function toolCalls(peer: Peer, url: string, into: Figures): Promise<void> {
  if (peer.shell === undefined) return;
  const asked = `call:${Buffer.from(JSON.stringify(peer.shell)).toString("base64")}`;
  const { client, cwd } = await startPeer(peer, url);
  const [talking, calling] = [await client.open(cwd), await client.open(cwd)];
  for (let round = 0; round < WARM_CALLS + CALLS; round += 1) {
    const { total: plain } = await within(takeTurn(client, talking));
    const { total } = await within(takeTurn(client, calling, asked));
    if (round >= WARM_CALLS) into.call.push(total - plain);
  }
  await client.end();
}
const CALLS = 30;
const WARM_CALLS = 5;

/** How many sessions are prompted at once, of a model that writes so many tokens in that pace. */
export interface Crowd {
  readonly url: string;
  readonly sessions: number;
  readonly tokens: number;
  readonly paceMs: number;
}

/** Prompts all sessions of one process in one write, some rounds. */
export async function atOnce(peer: Peer, crowd: Crowd, into: Figures): Promise<void> {
  const { client, cwd } = await startPeer(peer, crowd.url);
  const sessions: string[] = [];
  for (let index = 0; index < crowd.sessions; index += 1) sessions.push(await within(client.open(cwd)));
  for (let round = 0; round < CROWD_ROUNDS; round += 1) {
    const { wall, firsts } = await promptAll(client, { sessions, tokens: crowd.tokens });
    into.wall.push(wall / ((crowd.tokens - 1) * crowd.paceMs));
    into.firsts.push(percentile(firsts, 0.99));
  }
  await client.end();
}
const CROWD_ROUNDS = 5;

async function promptAll(
  client: LineClient,
  { sessions, tokens }: { readonly sessions: readonly string[]; readonly tokens: number },
): Promise<{ readonly wall: number; readonly firsts: readonly number[] }> {
  const firsts = new Map<string, number>();
  const started = performance.now();
  let words = 0;
  client.onMessage = ({ params }) => {
    const { sessionId = "", update } = params ?? {};
    if (update?.sessionUpdate !== "agent_message_chunk") return;
    const found = update.content?.text?.match(/\bword\b/g)?.length ?? 0;
    words += found;
    if (found > 0 && !firsts.has(sessionId)) firsts.set(sessionId, performance.now() - started);
  };
  await Promise.all(
    sessions.map((sessionId) =>
      client.request("session/prompt", { sessionId, prompt: [{ type: "text", text: HI }] }),
    ),
  );
  const wall = performance.now() - started;
  client.onMessage = () => undefined;
  if (words !== sessions.length * tokens)
    throw new Error(`${words} words came of ${sessions.length * tokens}`);
  return { wall, firsts: [...firsts.values()] };
}

const MICROSECONDS = 1000n;
/** Turns before those that are looked at, and how many these are. */
const WARM_TURNS = 2;
const AGE_TURNS = 30;

/** A peer with a session, whose text says when it was written. */
export interface Dated {
  readonly process: PeerProcess;
  readonly sessionId: string;
}

/** One turn of a peer, in whose text each token says when it was written. */
export async function datedTurn(
  { process: { client }, sessionId }: Dated,
  round: number,
  into: Figures,
): Promise<void> {
  const asked = takeTurn(client, sessionId);
  const { onUpdate } = client;
  client.onUpdate = (update) => {
    const now = Number(process.hrtime.bigint() / MICROSECONDS);
    for (const [, written] of (update.content?.text ?? "").matchAll(/@(\d+) /g))
      if (round >= WARM_TURNS) into.age.push((now - Number(written)) / 1000);
    onUpdate(update);
  };
  await asked;
}
/** As many turns of each are asked for. */
export const DATED_TURNS = WARM_TURNS + AGE_TURNS;
