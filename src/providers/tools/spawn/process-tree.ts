import { type Clock, sleep } from "../../../shared/async/clock.ts";
import type { Machine } from "../machine.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { mapFew } from "./map-few.ts";
import type { ProcessBirth, ProcessEntry, ProcessTable } from "./process-table.ts";

/** The variable by which descendants are found that left their group. */
export const MARKER = "AGENT_SPAWN";

/** The marks by which all processes of one spawn, or of one host, are found. */
export interface Tree {
  /** The leader of their group, and when it began. */
  readonly leader?: ProcessBirth;
  /** Whether the words of a process's marker say that it is theirs. */
  readonly isMarked: (words: readonly string[]) => boolean;
}

/** The tools with which process trees are found and ended. */
export interface TreeTools {
  readonly table: ProcessTable;
  readonly machine: Machine;
  readonly clock: Clock;
  /** Milliseconds between TERM and KILL; 2000 by default. */
  readonly graceMs?: number;
}

const TERM_GRACE = 2000;
/** Milliseconds, and rounds, of KILLs after which a process is given up: the system itself holds it. */
const KILL_LIMIT = 10_000;
const KILL_ROUNDS = 50;
const FIRST_LOOK = 5;
const SLOWEST_LOOK = 50;

const never = new AbortController().signal;

/** The living processes of a tree: its group, its session, the marked ones, and the children of all these. */
export async function treeMembers(
  tree: Tree,
  { table, machine }: TreeTools,
): Promise<readonly ProcessEntry[]> {
  const all = (await table.list(tree.leader)).filter(({ pid }) => pid !== machine.pid);
  const found = new Map(
    all.filter((entry) => isOfLeader(entry, tree, all)).map((entry) => [entry.pid, entry]),
  );
  const since = tree.leader?.birth.started ?? 0;
  const others = all.filter(({ pid, started }) => !found.has(pid) && started >= since);
  await mapFew(others, async (entry) => {
    const marker = await table.variable(entry.pid, MARKER);
    if (marker !== undefined && tree.isMarked(marker.split(" "))) found.set(entry.pid, entry);
  });
  addChildren(found, all);
  return [...found.values()];
}

/** The number of a group is not given out again while somebody is in it, but it is later. */
function isOfLeader(entry: ProcessEntry, { leader }: Tree, all: readonly ProcessEntry[]): boolean {
  if (leader === undefined || entry.started < leader.birth.started) return false;
  if (entry.group !== leader.pid && entry.session !== leader.pid) return false;
  const holder = all.find(({ pid }) => pid === leader.pid);
  return holder === undefined || holder.mark === leader.birth.mark;
}

function addChildren(found: Map<number, ProcessEntry>, all: readonly ProcessEntry[]): void {
  let before = -1;
  while (found.size !== before) {
    before = found.size;
    for (const entry of all) if (found.has(entry.parent)) found.set(entry.pid, entry);
  }
}

/**
 * Ends a tree: TERM, a while of grace, KILL until nothing is left. Resolves with what could not be ended, which is nothing
 * but in cases where the system holds a process.
 */
export async function killTree(tree: Tree, tools: TreeTools): Promise<readonly ProcessEntry[]> {
  const { graceMs = TERM_GRACE } = tools;
  let alive = await treeMembers(tree, tools);
  const start = tools.clock.monotonic();
  const passed = (): number => tools.clock.monotonic() - start;
  send(alive, "SIGTERM", tools.machine);
  // A stopped process notices nothing else.
  send(alive, "SIGCONT", tools.machine);
  for (let pause = FIRST_LOOK; alive.length > 0 && passed() < graceMs; pause = slower(pause)) {
    await sleep(tools.clock, Math.min(pause, graceMs - passed()), never);
    const later = await asTheyAre(alive, tools.table);
    // A shell that becomes another program may have taken the signal with it.
    for (const { pid } of later.filter(isOtherThan(alive))) sendOne(pid, "SIGTERM", tools.machine);
    alive = later.length > 0 ? later : await treeMembers(tree, tools);
  }
  alive = await treeMembers(tree, tools);
  // On a machine that hardly gets on, time alone says nothing.
  const isHeld = (round: number): boolean => round >= KILL_ROUNDS && passed() >= graceMs + KILL_LIMIT;
  for (
    let round = 0, pause = FIRST_LOOK;
    alive.length > 0 && !isHeld(round);
    round += 1, pause = slower(pause)
  ) {
    send(alive, "SIGKILL", tools.machine);
    await sleep(tools.clock, pause, never);
    alive = await treeMembers(tree, tools);
    // Who was born while the others were looked at, by one that ended then, shows at the next look.
    if (alive.length === 0) alive = await treeMembers(tree, tools);
  }
  return alive;
}

const slower = (pause: number): number => Math.min(pause * 2, SLOWEST_LOOK);

/** Those of some processes that live, as they are now. */
async function asTheyAre(
  entries: readonly ProcessEntry[],
  table: ProcessTable,
): Promise<readonly ProcessEntry[]> {
  const now = await mapFew(entries, ({ pid }) => table.find(pid));
  return now.flatMap((entry, i) => (entry !== undefined && entry.mark === entries[i]?.mark ? [entry] : []));
}

const isOtherThan =
  (before: readonly ProcessEntry[]) =>
  ({ pid, image }: ProcessEntry): boolean =>
    before.some((entry) => entry.pid === pid && entry.image !== image);

/** Whole groups at once, so that nobody in them gets away by forking. */
function send(entries: readonly ProcessEntry[], signal: string, machine: Machine): void {
  const leaders = new Set(entries.filter(({ pid, group }) => pid === group).map(({ pid }) => pid));
  const targets = new Set(entries.map(({ pid, group }) => (leaders.has(group) ? -group : pid)));
  for (const target of targets) sendOne(target, signal, machine);
}

/** @param target - a process, or with a minus a group */
function sendOne(target: number, signal: string, machine: Machine): void {
  try {
    machine.kill(target, signal);
  } catch (error) {
    // It ended meanwhile, or belongs to somebody else and is the business of whoever started it.
    if (systemErrorCode(error) !== "ESRCH" && systemErrorCode(error) !== "EPERM") throw error;
  }
}
