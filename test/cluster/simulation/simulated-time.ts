import { setImmediate as nextTurn } from "node:timers/promises";

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** Turns of the event loop without anything new after which nothing more will come by itself. */
const QUIET_TURNS = 2;

/** The time of a simulation: it goes from event to event, and stands still while anybody works. */
export class SimulatedTime {
  #now = 0;
  #order = 0;
  #activity = 0;
  readonly #events: Event[] = [];

  /** Milliseconds since the simulation began. */
  get now(): number {
    return this.#now;
  }

  /** Calls `run` at a time, or as soon as possible; the returned function takes it back. */
  at(time: number, run: () => void): () => void {
    this.#activity += 1;
    const event: Event = { at: Math.max(time, this.#now), order: this.#order++, run, cancelled: false };
    this.#push(event);
    return () => {
      event.cancelled = true;
    };
  }

  /** Calls `run` after some milliseconds. */
  after(ms: number, run: () => void): () => void {
    return this.at(this.#now + ms, run);
  }

  /** Lets the time go on until it has come to `end`, or until nothing is left to happen, or `over` says so. */
  async run(end: number, over: () => boolean = () => false): Promise<void> {
    await this.#quiet();
    while (!over()) {
      const first = this.#events[0];
      if (first === undefined || first.at > end) break;
      this.#now = first.at;
      for (let due = this.#events[0]; due !== undefined && due.at <= this.#now; due = this.#events[0]) {
        this.#pop();
        if (!due.cancelled) due.run();
      }
      await this.#quiet();
    }
    if (!over()) this.#now = Math.max(this.#now, end);
  }

  /** Resolves when all that has begun waits for the time. */
  async #quiet(): Promise<void> {
    for (let turns = 0; turns < QUIET_TURNS; turns += 1) {
      const before = this.#activity;
      await nextTurn();
      if (this.#activity !== before) turns = -1;
    }
  }

  #push(event: Event): void {
    const events = this.#events;
    let index = events.push(event) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#swapIfLess(index, parent)) return;
      index = parent;
    }
  }

  #pop(): void {
    const events = this.#events;
    const last = events.pop();
    if (last === undefined || events.length === 0) return;
    events[0] = last;
    for (let index = 0; ;) {
      const left = 2 * index + 1;
      const right = events[left + 1];
      const least = right !== undefined && isLess(right, events[left]) ? left + 1 : left;
      if (least >= events.length || !this.#swapIfLess(least, index)) return;
      index = least;
    }
  }

  #swapIfLess(a: number, b: number): boolean {
    const [first, second] = [this.#events[a], this.#events[b]];
    if (first === undefined || second === undefined || !isLess(first, second)) return false;
    this.#events[a] = second;
    this.#events[b] = first;
    return true;
  }
}

const isLess = (a: Event, b: Event | undefined): boolean =>
  b === undefined || a.at < b.at || (a.at === b.at && a.order < b.order);
