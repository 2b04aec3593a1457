import { setImmediate as nextTurn } from "node:timers/promises";
import type { HomeStore } from "../../../../src/providers/store/index.ts";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import { handClock, type HandClock } from "../../../kit/clock.ts";
import { startTcpProxy, type TcpProxy } from "../../../kit/tcp-proxy.ts";

/** The time between two beats, and for how long a host's word lasts without one. */
export const BEAT = 2_000;
const STOP_AFTER = 10_000;

/** A machine with a line of its own to the database, and its own clock. */
export interface Machine extends AsyncDisposable {
  readonly name: string;
  readonly store: HomeStore;
  readonly clock: HandClock;
  readonly line: TcpProxy;
  readonly changes: string[];
  changed(what: string): Promise<void>;
  /** Resolves once a beat was answered. */
  readonly beaten: () => Promise<void>;
}

/** Opens the store of a machine. */
export async function machine(url: string, name: string): Promise<Machine> {
  const { port } = new URL(url);
  const line = await startTcpProxy(Number(port));
  const own = new URL(url);
  own.port = String(line.port);
  const clock = handClock();
  let beaten = (): void => undefined;
  const store = await postgresStore({
    url: own.href,
    identity: { pid: 1, startedAt: "1", bootId: name, pidNamespace: `pid:${name}`, machineId: name },
    clock: {
      ...clock,
      after(ms, run) {
        // Its word lasts the whole time again.
        if (ms === STOP_AFTER) beaten();
        return clock.after(ms, run);
      },
    },
    lease: { ms: 0, stopAfterMs: STOP_AFTER },
    connections: 2,
  });
  const changes: string[] = [];
  let look = (): void => undefined;
  store.onHostChange((change) => {
    changes.push(change);
    look();
  });
  return {
    name,
    store,
    clock,
    line,
    changes,
    changed(what) {
      const { promise, resolve } = Promise.withResolvers<void>();
      look = () => changes.includes(what) && resolve();
      look();
      return promise;
    },
    beaten() {
      const { promise, resolve } = Promise.withResolvers<void>();
      beaten = resolve;
      return promise;
    },
    async [Symbol.asyncDispose]() {
      line.set({});
      await store[Symbol.asyncDispose]();
      await line[Symbol.asyncDispose]();
    },
  };
}

/** Time passes on a machine that reaches the database: its heart beats, and each beat is answered before the next is due. */
export async function live({ clock, beaten }: Machine, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += BEAT) {
    const answered = beaten();
    clock.advance(BEAT);
    await answered;
    await nextTurn();
  }
}
