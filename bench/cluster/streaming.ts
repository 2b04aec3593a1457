import { setTimeout as pause } from "node:timers/promises";
import { machineTime } from "../../test/kit/model-server/fixed.ts";
import { percentile } from "../figures.ts";
import { send, textOf } from "../http-load.ts";
import { startModelProcess } from "../model-process.ts";
import { type ClusterClient, connectTo, type SeenTurn } from "./client.ts";
import { type ClusterHost, startHosts, stopHosts } from "./hosts.ts";
import { atMost, type ClusterBench, type Line, none, orAfter } from "./row.ts";

const HOSTS = 3;
const CONNECTIONS = 8;
const PACE_MS = 50;
/** Prompts come over so many milliseconds: people do not all write at once. */
const OVER_MS = 4_000;
/** Text that is later than that by so much is not waited for. */
const LATE_MS = 30_000;
const WARM_UP_TURNS = 30;
const LONGEST_WARM_UP_MS = 15_000;
const FIRST_GOAL = 150;
const DELTA_GOAL = 100;

/** Starts a turn on a host, without waiting for any of it. */
export async function prompt(url: string, session: string): Promise<void> {
  const answer = await send(`${url}/v1/runs`, { input: "hi", session_id: session });
  const text = await textOf(answer);
  if (answer.statusCode !== 202) throw new Error(`A prompt was answered with ${answer.statusCode}: ${text}`);
}

interface Reading {
  readonly turn: SeenTurn;
  readonly prompted: number;
}

/** Sessions that stream on all hosts, two thirds of them read through another host than the one that drives them. */
export async function streaming({ size, database }: ClusterBench): Promise<readonly Line[]> {
  const tokens = Math.max(4, (1000 / PACE_MS) * size.seconds);
  await using model = await startModelProcess(["--stamped", "--tokens", `${tokens}`, "--pace", `${PACE_MS}`]);
  const hosts = await startHosts(HOSTS, { databaseUrl: await database(), modelUrl: model.baseUrl });
  const clients = await connectTo(hosts, CONNECTIONS);
  try {
    await orAfter(LONGEST_WARM_UP_MS, [warmUp(hosts, clients, Math.min(WARM_UP_TURNS, size.sessions))]);
    const before = hosts.map((host) => host.cpu());
    const started = machineTime();
    const readings: Reading[] = [];
    const failures: unknown[] = [];
    const work = Array.from({ length: size.sessions }, async (_, index) => {
      await pause((index / size.sessions) * OVER_MS);
      const readers = clients[Math.floor(index / HOSTS) % HOSTS] ?? [];
      const reader: ClusterClient | undefined = readers[index % CONNECTIONS];
      const prompted = machineTime();
      await prompt(hosts[index % HOSTS]?.url ?? "", `streams-${index}`);
      const turn = await reader?.follow(`streams-${index}`);
      if (turn === undefined) return;
      readings.push({ turn, prompted });
      await turn.over.promise;
    });
    for (const each of work) each.catch((thrown: unknown) => failures.push(thrown));
    await orAfter(OVER_MS + tokens * PACE_MS + LATE_MS, work);
    const used = hosts.reduce((sum, host, index) => sum + host.cpu() - (before[index] ?? 0), 0);
    if (failures.length > 0)
      console.log(`  the first of ${failures.length} failures: ${String(failures[0])}`);
    return linesOf(readings, { ...size, tokens, busy: used / (machineTime() - started) });
  } finally {
    for (const client of clients.flat()) client[Symbol.dispose]();
    await stopHosts(hosts);
  }
}

/** Programs get faster while they run: before it is measured, each host has begun some turns. */
async function warmUp(
  hosts: readonly ClusterHost[],
  clients: readonly (readonly ClusterClient[])[],
  turns: number,
): Promise<void> {
  await Promise.all(
    hosts.map(async ({ url }, index) => {
      const client = clients[(index + 1) % hosts.length]?.[0];
      for (let turn = 0; turn < turns; turn += 1) {
        const session = `warms-up-${index}-${turn}`;
        await prompt(url, session);
        const seen = await client?.follow(session);
        await seen?.begun.promise;
        await client?.request("session.interrupt", { session_id: session });
      }
    }),
  );
}

function linesOf(
  readings: readonly Reading[],
  { sessions, tokens, busy }: { readonly sessions: number; readonly tokens: number; readonly busy: number },
): readonly Line[] {
  const firsts = readings.map(({ turn, prompted }) => (turn.first ?? Number.POSITIVE_INFINITY) - prompted);
  const delays = readings.flatMap(({ turn }) => turn.delays);
  const ended = readings.filter(({ turn }) => turn.status !== undefined);
  const wrong = ended.filter(({ turn }) => !turn.isWhole(tokens));
  const what = `${HOSTS} hosts, ${sessions} sessions at ${1000 / PACE_MS} deltas/s`;
  return [
    none(`${what}: texts with something lost or doubled`, wrong.length),
    none("… not at their end in time", sessions - ended.length),
    atMost("… first text p99", percentile(firsts, 0.99), FIRST_GOAL),
    atMost("… delta p50", percentile(delays, 0.5), DELTA_GOAL),
    atMost("… delta p99", percentile(delays, 0.99), DELTA_GOAL),
    { what: "… processors that the hosts kept busy", measured: busy.toFixed(2) },
  ];
}
