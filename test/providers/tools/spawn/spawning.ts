import { readdir, readlink } from "node:fs/promises";
import { type Clock, systemClock } from "../../../../src/shared/async/clock.ts";
import type { ChildRecord } from "../../../../src/core/ports/store.ts";
import type { SpawnedChild } from "../../../../src/providers/tools/spawn/child.ts";
import {
  Spawner,
  type ChildLedger,
  type SpawnRequest,
} from "../../../../src/providers/tools/spawn/spawner.ts";
import type { HandClock } from "../../../kit/clock.ts";
import { scratch, type Scratch } from "../scratch.ts";

/** A clock on which two seconds pass in a tenth of one; the order of things stays. */
export const hastyClock: Clock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic() * 20,
  after: (ms, run) => systemClock.after(ms / 20, run),
};

const neverAborted = new AbortController().signal;

export interface Bench extends AsyncDisposable {
  readonly dir: Scratch;
  readonly spawner: Spawner;
  /** Runs a script; what it says is in `text` from then on. */
  run(script: string, request?: Partial<SpawnRequest>): Promise<Running>;
  /** Processes whose working directory is the bench's: seen without the spawner's own eyes. */
  alive(): Promise<readonly number[]>;
}

interface Running {
  readonly child: SpawnedChild;
  text(): string;
  /** Resolves when the text contains something. */
  until(words: string): Promise<void>;
}

export async function bench(
  options: {
    readonly clock?: Clock;
    readonly ledger?: ChildLedger;
    readonly hostId?: string;
    readonly tempDir?: string;
    readonly reaper?: readonly string[];
    readonly graceMs?: number;
    /** Programs are started by a process that is there for it. */
    readonly forks?: boolean;
  } = {},
): Promise<Bench> {
  const dir = await scratch();
  const { clock = systemClock, ledger, reaper, graceMs } = options;
  const { hostId = `host-${dir.path.slice(-6)}`, tempDir = dir.path } = options;
  const spawner = new Spawner({
    machine: process,
    clock,
    hostId,
    tempDir,
    ...(ledger === undefined ? {} : { ledger }),
    ...(reaper === undefined ? {} : { reaper }),
    ...(graceMs === undefined ? {} : { graceMs }),
  });
  if (options.forks === true) await spawner.prepare();
  return {
    dir,
    spawner,
    alive: () => aliveIn(dir.path),
    async run(script, request = {}) {
      let text = "";
      const waiting = new Set<() => void>();
      const child = await spawner.spawn({
        file: "bash",
        args: ["-c", script],
        cwd: dir.path,
        label: "bash",
        session: "s1",
        signal: neverAborted,
        output(chunk) {
          text += Buffer.from(chunk).toString();
          for (const look of waiting) look();
        },
        ...request,
      });
      return {
        child,
        text: () => text,
        until(words) {
          const { promise, resolve } = Promise.withResolvers<void>();
          const look = (): void => {
            if (text.includes(words)) resolve();
          };
          waiting.add(look);
          look();
          return promise;
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await spawner[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

/** Living processes whose working directory is in a place; zombies have none, and one that is ending has no program. */
export async function aliveIn(path: string): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of (await readdir("/proc")).map(Number).filter(Number.isInteger)) {
    try {
      const isHere = (await readlink(`/proc/${pid}/cwd`)).startsWith(path);
      if (isHere && (await readlink(`/proc/${pid}/exe`)) !== "") found.push(pid);
    } catch {
      // It ended, or waits to be collected.
    }
  }
  return found;
}

/** A ledger in memory. */
export function memoryLedger(): ChildLedger & { readonly children: Map<number, ChildRecord> } {
  const children = new Map<number, ChildRecord>();
  return {
    children,
    record(child) {
      children.set(child.pid, child);
      return Promise.resolve();
    },
    forget(pid) {
      children.delete(pid);
      return Promise.resolve();
    },
  };
}

/**
 * A script that starts processes which do all they can to stay: they ignore TERM, fork twice, leave group and session,
 * and keep the pipe open. It says `up` when all are there, and stays itself, too.
 */
export function hostileTree(random: () => number): string {
  const stay = "trap '' TERM HUP INT; sleep 1000 & wait; sleep 1000";
  const ways = [
    `(trap '' TERM; sleep 1000) &`,
    `( ( ${stay} ) & )`,
    `setsid bash -c "${stay}" &`,
    `( setsid bash -c "( setsid bash -c \\"${stay}\\" & ) ; ${stay}" & )`,
    `setsid sleep 1000 </dev/null >/dev/null 2>&1 &`,
    `nohup bash -c "${stay}" >/dev/null 2>&1 &`,
    `sleep 1000 &`,
    `(kill -STOP $BASHPID) &`,
  ];
  const chosen = Array.from({ length: 3 }, () => ways[Math.floor(random() * ways.length)] ?? "");
  const own = random() < 0.5 ? "trap '' TERM;" : "";
  return `${own} ${chosen.join("\n")}\necho up; while :; do sleep 1000; done`;
}

/** Timers that are further away are nobody's patience but the limits of a test's command. */
const SOON = 5000;

/** Turns the clock's hands whenever somebody waits for them, until the work is done. */
export async function drive<T>(clock: HandClock, work: PromiseLike<T>): Promise<T> {
  let over = false;
  const done = Promise.resolve(work).finally(() => (over = true));
  const isOver = (): boolean => over;
  while (!isOver()) {
    if ((clock.pending()[0]?.in ?? Number.POSITIVE_INFINITY) <= SOON) clock.next();
    // Files and processes get their turn.
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
  return await done;
}
