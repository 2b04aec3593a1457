import type { SimulatedTime } from "./simulated-time.ts";

/** Milliseconds after which what a cut held up is sent again, at most. */
const RETRANSMIT_MS = 200;

/** Milliseconds that something takes, at least and at most. */
type Latency = readonly [number, number];

const QUICK: Latency = [0.2, 2];

/** A channel keeps the order of what goes through it. */
export interface Channel {
  /** Calls `arrive` at the other end, once it gets there. */
  send(arrive: () => void): void;
}

/** One direction of a network, with its channels: it may be slow, and cut. */
export class OneWay {
  latency: Latency = QUICK;
  readonly #time: SimulatedTime;
  readonly #random: () => number;
  #open = true;
  #cuts = 0;
  /** Channels that wait until it opens. */
  readonly #waiting = new Set<() => void>();

  constructor(time: SimulatedTime, random: () => number) {
    this.#time = time;
    this.#random = random;
  }

  channel(): Channel {
    const items: { readonly at: number; readonly arrive: () => void }[] = [];
    let last = 0;
    const pump = (): void => {
      for (let first = items[0]; first !== undefined; first = items[0]) {
        if (!this.#open) return void this.#waiting.add(pump);
        if (first.at > this.#time.now) return void this.#time.at(first.at, pump);
        items.shift();
        first.arrive();
      }
    };
    return {
      send: (arrive) => {
        const [least, most] = this.latency;
        last = Math.max(last, Math.ceil(this.#time.now + least + this.#random() * (most - least)));
        items.push({ at: last, arrive });
        if (items.length === 1) pump();
      },
    };
  }

  cut(): void {
    this.#open = false;
    this.#cuts += 1;
  }

  open(): void {
    if (this.#open) return;
    this.#open = true;
    const cut = this.#cuts;
    this.#time.after(this.#random() * RETRANSMIT_MS, () => {
      if (!this.#open || cut !== this.#cuts) return;
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const pump of waiting) pump();
    });
  }

  /** It is as fast as it should be again. */
  hasten(): void {
    this.latency = QUICK;
  }
}
