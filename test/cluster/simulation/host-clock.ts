import type { Clock } from "../../../src/shared/async/clock.ts";
import type { SimulatedTime } from "./simulated-time.ts";

/** 2026-01-01T00:00:00Z */
const START = Date.UTC(2026, 0, 1);

/** Milliseconds between two things that a process has to do when it goes on. */
const STEP = 0.001;

/** The options of a host's clock. */
export interface HostClockOptions {
  /** How fast it goes; 1 is right. */
  readonly rate: number;
  /** Milliseconds that its wall clock is ahead. */
  readonly ahead: number;
  /** What its monotonic clock shows at first. */
  readonly uptime: number;
}

/** The clocks and timers of one simulated process, which may stand still, and end. */
export class HostClock implements Clock {
  readonly #time: SimulatedTime;
  readonly #rate: number;
  readonly #began: number;
  readonly #uptime: number;
  #ahead: number;
  #dead = false;
  /** What was due while it did not run. */
  #held: { readonly timers: (() => void)[]; readonly arrived: (() => void)[] } | undefined;

  constructor(time: SimulatedTime, { rate, ahead, uptime }: HostClockOptions) {
    this.#time = time;
    this.#rate = rate;
    this.#ahead = ahead;
    this.#uptime = uptime;
    this.#began = time.now;
  }

  get dead(): boolean {
    return this.#dead;
  }

  get paused(): boolean {
    return this.#held !== undefined;
  }

  now(): number {
    return Math.round(START + this.#ahead + this.monotonic() - this.#uptime + this.#began);
  }

  monotonic(): number {
    return this.#uptime + (this.#time.now - this.#began) * this.#rate;
  }

  after(ms: number, run: () => void): () => void {
    let cancelled = false;
    const due = (): void => (cancelled ? undefined : run());
    const take = this.#time.after(Math.max(0, ms) / this.#rate, () => this.#do(due, this.#held?.timers));
    return () => {
      cancelled = true;
      take();
    };
  }

  /** Lets the process take what comes from outside: now, when it goes on, or never. */
  take(run: () => void): void {
    this.#do(run, this.#held?.arrived);
  }

  /** Puts the wall clock elsewhere. */
  turn(ms: number): void {
    this.#ahead += ms;
  }

  /** The process runs no more, until `resume`. */
  pause(): void {
    this.#held ??= { timers: [], arrived: [] };
  }

  /** The process goes on, with what has happened meanwhile: the timers or the network first, as the system chooses. */
  resume(random: () => number): void {
    const { timers, arrived } = this.#held ?? { timers: [], arrived: [] };
    this.#held = undefined;
    const all = random() < 0.5 ? [...timers, ...arrived] : [...arrived, ...timers];
    // One after the other: what each resolves goes on before the next one.
    for (const [index, run] of all.entries())
      this.#time.after(index * STEP, () => this.#do(run, this.#held?.arrived));
  }

  die(): void {
    this.#dead = true;
    this.#held = undefined;
  }

  #do(run: () => void, held: (() => void)[] | undefined): void {
    if (this.#dead) return;
    if (held === undefined) run();
    else held.push(run);
  }
}

/** The clock of a store at a host: the wall clock is the database's, which nobody turns; timers are the host's. */
export class StoreClock implements Clock {
  readonly #time: SimulatedTime;
  readonly #own: HostClock;

  constructor(time: SimulatedTime, own: HostClock) {
    this.#time = time;
    this.#own = own;
  }

  now(): number {
    return Math.round(START + this.#time.now);
  }

  monotonic(): number {
    return this.#own.monotonic();
  }

  after(ms: number, run: () => void): () => void {
    return this.#own.after(ms, run);
  }
}
