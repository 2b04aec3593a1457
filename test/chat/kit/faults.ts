import { random } from "../../kit/counts.ts";

/** The faults of a fake platform, each the share of requests or events that it befalls. */
export interface FaultRates {
  /** Of requests: the connection breaks before anything is done. */
  readonly drop?: number;
  /** Of requests: it is done, and the connection breaks before the answer. */
  readonly lose?: number;
  /** Of requests: 429, with a short `retry_after`. */
  readonly limit?: number;
  /** Of requests: the answer is no JSON, after it was done. */
  readonly garble?: number;
  /** Of events: it comes twice. */
  readonly duplicate?: number;
  /** Of events: it comes after the next one. */
  readonly reorder?: number;
}

/** What befalls one request. */
export type Fault = "drop" | "lose" | "limit" | "garble";

/** A source of faults, the same for the same seed. */
export class Faults {
  readonly #rates: FaultRates;
  readonly #random: () => number;
  readonly counts: Record<string, number> = {};

  constructor(rates: FaultRates = {}, salt = 77) {
    this.#rates = rates;
    this.#random = random(salt);
  }

  /** What befalls the next request; usually nothing. */
  ofRequest(): Fault | undefined {
    for (const fault of ["drop", "lose", "limit", "garble"] as const) if (this.#befalls(fault)) return fault;
    return undefined;
  }

  /** Events as they come, some twice, some after the next one. */
  ofEvents<T>(events: readonly T[]): readonly T[] {
    const sent = events.flatMap((event) => (this.#befalls("duplicate") ? [event, event] : [event]));
    for (let at = 0; at + 1 < sent.length; at += 1) {
      const [first, second] = [sent[at], sent[at + 1]];
      if (first === undefined || second === undefined || !this.#befalls("reorder")) continue;
      sent[at] = second;
      sent[at + 1] = first;
    }
    return sent;
  }

  /** The same with events that happened together: those of one chat keep their order all the same. */
  inOrder<T>(events: readonly T[], chatOf: (event: T) => string): readonly T[] {
    const sent = this.ofEvents(events);
    const lines = Map.groupBy(sent, chatOf);
    for (const line of lines.values()) line.sort((a, b) => events.indexOf(a) - events.indexOf(b));
    return sent.flatMap((event) => lines.get(chatOf(event))?.shift() ?? []);
  }

  #befalls(fault: keyof FaultRates): boolean {
    const rate = this.#rates[fault] ?? 0;
    if (rate === 0 || this.#random() >= rate) return false;
    this.counts[fault] = (this.counts[fault] ?? 0) + 1;
    return true;
  }
}
