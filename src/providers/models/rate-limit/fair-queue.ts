/** A request that waits for its turn. */
export interface QueuedRequest {
  readonly session: string;
  readonly start: () => void;
}

/** A queue that serves sessions in turn, however many requests each has waiting; a session's requests keep their order. */
export class FairQueue {
  readonly #bySession = new Map<string, QueuedRequest[]>();

  get isEmpty(): boolean {
    return this.#bySession.size === 0;
  }

  /** @param first - the session comes before all others: its last request was refused */
  add(request: QueuedRequest, { first }: { readonly first: boolean }): void {
    const waiting = this.#bySession.get(request.session);
    if (waiting !== undefined) return void (first ? waiting.unshift(request) : waiting.push(request));
    const others = first ? [...this.#bySession] : [];
    if (first) this.#bySession.clear();
    this.#bySession.set(request.session, [request]);
    for (const [session, list] of others) this.#bySession.set(session, list);
  }

  /** Takes the next request; its session goes to the end. */
  take(): QueuedRequest | undefined {
    const [next] = this.#bySession;
    if (next === undefined) return undefined;
    const [session, waiting] = next;
    const request = waiting.shift();
    this.#bySession.delete(session);
    if (waiting.length > 0) this.#bySession.set(session, waiting);
    return request;
  }

  remove(request: QueuedRequest): void {
    const waiting = this.#bySession.get(request.session) ?? [];
    const place = waiting.indexOf(request);
    if (place < 0) return;
    waiting.splice(place, 1);
    if (waiting.length === 0) this.#bySession.delete(request.session);
  }
}
