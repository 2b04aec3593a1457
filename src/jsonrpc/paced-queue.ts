import { setImmediate as nextTurn } from "node:timers";

/**
 * A queue that hands on its items in their order, over several turns of the event loop: one in the first, twice as many in
 * each turn after it. The first item of a burst does not wait until the last one has begun, and the last one waits for few
 * turns, which are long beside many streams.
 */
export class PacedQueue<Item> {
  readonly #take: (item: Item) => void;
  readonly #waiting: Item[] = [];
  /** Items that may be handed on in the next turn; 0 while none was handed on in this one. */
  #next = 0;

  /** @param take - gets each item; never throws */
  constructor(take: (item: Item) => void) {
    this.#take = take;
  }

  /** Hands an item on at once, or after those that wait. */
  push(item: Item): void {
    this.#waiting.push(item);
    if (this.#next === 0) this.#handOn(1);
  }

  #handOn(count: number): void {
    this.#next = 2 * count;
    nextTurn(() => this.#turn());
    for (const item of this.#waiting.splice(0, count)) this.#take(item);
  }

  #turn(): void {
    if (this.#waiting.length === 0) this.#next = 0;
    else this.#handOn(this.#next);
  }
}
