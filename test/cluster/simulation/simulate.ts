import { createHash } from "node:crypto";
import type { Store } from "../../../src/core/index.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import { checkHistory } from "../checker/check-history.ts";
import type { Fault } from "../checker/fault.ts";
import { finalLogs } from "../history/final-logs.ts";
import type { History, HistoryEntry } from "../history/history.ts";
import type { Recorder } from "../history/recorder.ts";
import { HostClock } from "./host-clock.ts";
import { causeFault } from "./cause-fault.ts";
import { People } from "./people.ts";
import type { ScheduledFault } from "./schedule.ts";
import { SimulatedHost } from "./simulated-host.ts";
import { SimulatedTime } from "./simulated-time.ts";

/** The options of a simulation. */
export interface SimulationOptions {
  readonly seed: number;
  readonly hosts: number;
  readonly people: number;
  /** Sessions that are worked in at a time. */
  readonly sessions: number;
  /** Milliseconds until nothing is in the way any more. */
  readonly ms: number;
  readonly schedule: readonly ScheduledFault[];
  /** Hosts stop what they drive when they were cut off for too long; `false` to see that this is found out. */
  readonly stops?: boolean;
}

/** What came of a simulation. */
export interface SimulationResult {
  readonly faults: readonly Fault[];
  readonly history: History;
  /** The same for two runs that did the same. */
  readonly digest: string;
  readonly figures: Readonly<Record<string, number>>;
  /** How often hosts reported what reached no caller, by code. */
  readonly reported: Readonly<Record<string, number>>;
}

/** Milliseconds after which everybody must have gone on when nothing is in the way any more. */
const RECOVERY_MS = 300_000;
/** Milliseconds between two looks at what is left to be done. */
const LOOK_EVERY_MS = 3000;
/** Milliseconds after a stop in which a host may still do what it had begun. */
const GRACE_MS = 2000;

/** Runs hosts of the real core under a schedule of faults, lets them recover, and checks their history. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, schedule, ms, stops = true } = options;
  const time = new SimulatedTime();
  const entries: HistoryEntry[] = [];
  const reported: HostError[] = [];
  const recorder: Recorder = { now: ticking(time), add: (entry) => void entries.push(entry) };
  const home = memoryHome();
  const world = {
    seed,
    time,
    home,
    recorder,
    stops,
    report: (error: HostError) => void reported.push(error),
  };
  const hosts = Array.from({ length: options.hosts }, (_, index) => new SimulatedHost(world, index));
  const processes = () => hosts.flatMap(({ process }) => (process === undefined ? [] : [process]));
  const people = new People({ ...options, time, processes });
  for (const host of hosts) host.start();
  people.start(options.people);
  for (const fault of schedule) {
    const host = hosts[fault.host];
    if (host !== undefined) time.at(fault.at, () => causeFault(host, fault, { time, recorder, until: ms }));
  }
  await time.run(ms);
  people.stop();
  for (const host of hosts) host.heal();
  const observer = home.open({
    clock: new HostClock(time, { rate: 1, ahead: 0, uptime: 0 }),
    random: () => 0,
  });
  // Processes that were killed start, and what nobody waits for any more ends.
  await time.run(ms + 30_000);
  const sessions: string[] = [];
  for (const id of people.active) if ((await observer.record(id)) !== undefined) sessions.push(id);
  let going = sessions.length;
  for (const session of sessions) void people.goOn(session).then(() => (going -= 1));
  const unrest = async (): Promise<boolean> => {
    const restless = await restlessSessions(observer, people.sessions);
    for (const session of restless) void people.lookAfter(session);
    return restless.length + going + people.waiting.length > 0;
  };
  while (time.now < ms + RECOVERY_MS && (await unrest())) await time.run(time.now + LOOK_EVERY_MS);
  // What was said last reaches the readers.
  await time.run(time.now + 5000);
  const logs = await finalLogs(observer, people.sessions);
  const ends = new Map(logs.map(({ session, rows }) => [session, rows.at(-1)?.seq ?? 0]));
  const behind = people.followers
    .filter(({ session, cursor }) => sessions.includes(session) && cursor !== ends.get(session))
    .map(({ name, session, cursor }) => `${name} stands at ${cursor}, the log ends at ${ends.get(session)}`);
  for (const host of hosts) host.kill();
  const waiting = [...people.waiting.map((what) => `somebody waits: ${what}`), ...people.failures, ...behind];
  const defects = reported.filter(({ code }) => code === "internal").map(({ message }) => message);
  const history = { entries, logs, waiting, defects };
  return {
    history,
    faults: checkHistory(history, { grace: GRACE_MS }),
    digest: createHash("sha256").update(JSON.stringify(history)).digest("hex"),
    figures: figuresOf(entries, logs.length),
    reported: count(reported.map(({ code }) => code)),
  };
}

/** Sessions in which something runs, or waits to. */
async function restlessSessions(
  store: Pick<Store, "record">,
  sessions: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const session of sessions) {
    const state = (await store.record(session))?.state;
    if (state !== undefined && (state.turn !== undefined || state.queue.length > 0)) found.push(session);
  }
  return found;
}

/** A time that goes on with every look at it. */
function ticking(time: SimulatedTime): () => number {
  let last = 0;
  return () => (last = Math.max(last + 1e-5, time.now));
}

function figuresOf(entries: readonly HistoryEntry[], sessions: number): Readonly<Record<string, number>> {
  const rows = entries.reduce((sum, entry) => sum + (entry.type === "append" ? entry.rows.length : 0), 0);
  return { sessions, rows, ...count(entries.map((entry) => nameOf(entry))) };
}

const nameOf = (entry: HistoryEntry): string => {
  if (entry.type === "append") return `append ${entry.status}`;
  if (entry.type === "result") return `turn ${entry.outcome}`;
  return "answered" in entry ? `${entry.type} ${entry.answered}` : entry.type;
};

const count = (words: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...Map.groupBy(words, (word) => word)]
      .map(([word, { length }]) => [word, length] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
