/** Somebody who waits for its turn. */
export interface Waiter {
  /** Whose turn it is counted as. */
  readonly session: string;
  readonly go: () => void;
}

/** A queue that serves sessions in turn, however many calls each has waiting; a session's own calls keep their order. */
export class FairQueue {
  readonly #bySession = new Map<string, Waiter[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** @param first - its session comes before all others: it had its turn and was sent away */
  add(waiter: Waiter, { first }: { readonly first: boolean }): void {
    this.#size += 1;
    const waiting = this.#bySession.get(waiter.session);
    if (waiting !== undefined) return void (first ? waiting.unshift(waiter) : waiting.push(waiter));
    const others = first ? [...this.#bySession] : [];
    if (first) this.#bySession.clear();
    this.#bySession.set(waiter.session, [waiter]);
    for (const [session, list] of others) this.#bySession.set(session, list);
  }

  /** Takes the next one; its session goes to the end. */
  take(): Waiter | undefined {
    const [next] = this.#bySession;
    if (next === undefined) return undefined;
    const [session, waiting] = next;
    const waiter = waiting.shift();
    this.#bySession.delete(session);
    if (waiting.length > 0) this.#bySession.set(session, waiting);
    this.#size -= 1;
    return waiter;
  }

  remove(waiter: Waiter): void {
    const waiting = this.#bySession.get(waiter.session) ?? [];
    const place = waiting.indexOf(waiter);
    if (place < 0) return;
    waiting.splice(place, 1);
    this.#size -= 1;
    if (waiting.length === 0) this.#bySession.delete(waiter.session);
  }
}
