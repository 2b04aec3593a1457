import { setImmediate as nextTurn } from "node:timers";

/**
 * A queue that hands on one item in a turn of the event loop, in their order. What an item begins gets on before the next
 * item begins: a burst does not make its first item wait for its last one.
 */
export class PacedQueue<Item> {
  readonly #take: (item: Item) => void;
  readonly #waiting: Item[] = [];
  /** An item was handed on in this turn. */
  #taken = false;

  /** @param take - gets each item; never throws */
  constructor(take: (item: Item) => void) {
    this.#take = take;
  }

  /** Hands an item on at once, or after those that wait. */
  push(item: Item): void {
    if (this.#taken) this.#waiting.push(item);
    else this.#handOn(item);
  }

  #handOn(item: Item): void {
    this.#taken = true;
    nextTurn(() => this.#turn());
    this.#take(item);
  }

  #turn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken = false;
    else this.#handOn(next);
  }
}
