import { type Host, type HostOptions, type Models, openHost } from "../../src/core/index.ts";
import { type HomeStore, type MemoryHome, memoryHome } from "../../src/providers/store/index.ts";
import { type HandClock, handClock } from "./clock.ts";
import { random } from "./counts.ts";

/** A process of a `Machine`. */
export interface TestProcess {
  readonly host: Host;
  readonly store: HomeStore;
  /** From now on the others take it for dead. What it still does is its ghost's. */
  die(): void;
}

/** Processes that share a home in memory, and may die. */
export class Machine {
  readonly home: MemoryHome = memoryHome();
  readonly clock: HandClock = handClock();
  readonly #dead = new Set<number>();
  #pid = 0;

  async start(models: Models, options: Partial<HostOptions> = {}): Promise<TestProcess> {
    this.#pid += 1;
    const pid = this.#pid;
    const identity = { pid, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" };
    const isRunning = (process: { readonly pid: number }): boolean => !this.#dead.has(process.pid);
    const store = this.home.open({ identity, isRunning, clock: this.clock, random: random(pid) });
    const report = (error: Error): void => {
      if (!this.#dead.has(pid)) throw error;
    };
    const host = await openHost({
      store,
      models,
      clock: this.clock,
      systemPrompt: () => "test",
      report,
      ...options,
    });
    return { host, store, die: () => void this.#dead.add(pid) };
  }
}
