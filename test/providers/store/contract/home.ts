import { setImmediate as nextTurn } from "node:timers/promises";
import type { Command, CommandDraft, CommandResult, Piece, Store } from "../../../../src/core/ports/store.ts";
import type { HandClock } from "../../../kit/clock.ts";
import { logPen, type LogPen, sessionStart, titleSet } from "../../../kit/log-pen.ts";

export interface HostOptions {
  /** In another namespace: process ids mean nothing about it. */
  readonly remote?: boolean;
  /** Its own clock stands still: it answers, but its heart does not beat. */
  readonly asleep?: boolean;
  /** It runs, or ran, before the machine was started anew. */
  readonly oldBoot?: boolean;
}

/** A home that several hosts can open. They share the clock, whose hands the test moves. */
export interface ContractHome extends AsyncDisposable {
  readonly clock: HandClock;
  openHost(options?: HostOptions): Promise<Store>;
  /** The host's process is gone from now on, as after `kill -9`. */
  kill(host: Store): Promise<void>;
}

export type OpenHome = () => Promise<ContractHome>;

/** Makes a session on a host; the pen writes on. */
export async function newSession(store: Store, id: string, pen: LogPen = logPen()): Promise<LogPen> {
  const rows = pen.rows([sessionStart()]);
  if (!(await store.create(id, rows, pen.state))) throw new Error(`session ${id} exists already`);
  return pen;
}

/** Takes a session's lease with one row. */
export async function drive(store: Store, id: string, pen: LogPen): Promise<number> {
  const result = await store.append(pen.append(id, [titleSet("driven")]));
  if (result.status !== "ok" || result.fence === undefined) throw new Error(`no lease: ${result.status}`);
  return result.fence;
}

export const aCommand = (id: string, session: string): CommandDraft => ({
  id,
  session,
  kind: "steer",
  payload: JSON.stringify({ id }),
  waitMs: 60_000,
});

export const ok = (id: string): CommandResult => ({ id, ok: true, body: JSON.stringify(`done ${id}`) });

export const piece = (cursor: number, text: string, kind: Piece["kind"] = "text"): Piece => ({
  cursor,
  kind,
  text,
});

/** Keeps the commands that an owner is handed; a test can wait for more. */
export function inbox(store: Store): {
  readonly seen: readonly Command[];
  holds(count: number): Promise<void>;
} {
  const seen: Command[] = [];
  let look: () => void = () => undefined;
  store.onCommand((command) => {
    seen.push(command);
    look();
  });
  return {
    seen,
    holds(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      look = () => {
        if (seen.length >= count) resolve();
      };
      look();
      return promise;
    },
  };
}

/** Counts the times that a store says that a session has moved. */
export function moves(store: Store, session: string, signal = new AbortController().signal) {
  let count = 0;
  let ring: () => void = () => undefined;
  store.watch(
    session,
    () => {
      count += 1;
      ring();
    },
    signal,
  );
  return {
    get count() {
      return count;
    },
    /** Resolves once it has moved at least once more than `seen` times. */
    past(seen: number): Promise<void> {
      const { promise, resolve } = Promise.withResolvers<void>();
      ring = () => {
        if (count > seen) resolve();
      };
      ring();
      return promise;
    },
  };
}

/** Everything that the stores were asked before has been answered. */
export async function settled(...stores: readonly Store[]): Promise<void> {
  await nextTurn();
  for (const store of stores) await store.record("nobody asks for this");
  await nextTurn();
}

/** Turns the hands half a second at a time, and lets everybody finish what that began, until `waited` settles. */
export async function turnUntil<T>(
  home: ContractHome,
  stores: readonly Store[],
  waited: Promise<T>,
): Promise<T> {
  let over = false;
  const watched = waited.finally(() => {
    over = true;
  });
  // The `return` below reports a failure.
  watched.catch(() => undefined);
  for (let turns = 0; turns < 1_000; turns += 1) {
    await settled(...stores);
    if (over) break;
    home.clock.advance(500);
  }
  return watched;
}
