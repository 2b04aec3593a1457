import { setImmediate as nextTurn } from "node:timers/promises";
import { type Host, type HostOptions, type Models, openHost } from "../../src/core/index.ts";
import { type HomeStore, type MemoryHome, memoryHome } from "../../src/providers/store/index.ts";
import { type HandClock, handClock } from "./clock.ts";
import { random } from "./counts.ts";

const STEP_MS = 250;
const TURNS = 30;
const LONGEST_MS = 120_000;

/** Lets everybody finish what goes on by itself. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
}

/** A process of a `Machine`. */
export interface TestProcess {
  readonly host: Host;
  readonly store: HomeStore;
  /** From now on the others take it for dead. What it still does is its ghost's. */
  die(): void;
}

/** The options of a home's processes. */
export interface MachineOptions {
  /** Each process is on a machine of its own: only its heartbeat tells the others that it lives. */
  readonly apart?: boolean;
}

/** Processes that share a home in memory, and may die. */
export class Machine {
  readonly home: MemoryHome = memoryHome();
  readonly clock: HandClock = handClock();
  readonly #dead = new Set<number>();
  readonly #apart: boolean;
  #pid = 0;

  constructor({ apart = false }: MachineOptions = {}) {
    this.#apart = apart;
  }

  /**
   * @param options - those of its host; a clock of its own is its store's as well
   * @param machineId - the machine of the process; one of its own by default where all are apart
   */
  async start(
    models: Models,
    options: Partial<HostOptions> = {},
    machineId = this.#apart ? `m${this.#pid + 1}` : "m",
  ): Promise<TestProcess> {
    this.#pid += 1;
    const pid = this.#pid;
    const identity = {
      pid,
      startedAt: "1",
      bootId: `b ${machineId}`,
      pidNamespace: `n ${machineId}`,
      machineId,
    };
    const isRunning = (process: { readonly pid: number }): boolean => !this.#dead.has(process.pid);
    const life = new AbortController();
    const { home } = this;
    const { clock = this.clock } = options;
    const store = home.open({ identity, isRunning, clock, random: random(pid), signal: life.signal });
    const report = (error: Error): void => {
      if (!this.#dead.has(pid)) throw error;
    };
    const host = await openHost({
      store,
      models,
      clock,
      systemPrompt: () => "test",
      report,
      ...options,
    });
    return {
      host,
      store,
      die: () => {
        this.#dead.add(pid);
        if (this.#apart) life.abort();
      },
    };
  }

  /** Lets time pass in steps of a quarter of a second, and everybody finish what that begins, until it is over or `until` holds. */
  async pass(ms: number, until: () => boolean = () => false): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await settle();
      if (until()) return;
      this.clock.advance(STEP_MS);
    }
    await settle();
  }

  /** Lets time pass until something is done. */
  async during<T>(doing: Promise<T>): Promise<T> {
    let isOver = false;
    const over = (): void => void (isOver = true);
    doing.then(over, over);
    await this.pass(LONGEST_MS, () => isOver);
    if (!isOver) throw new Error(`Nothing came of it in ${LONGEST_MS / 1000} s.`);
    return await doing;
  }
}
