import type { ClientEvent } from "./events.ts";

/** Events for one reader, who may be slow: text of one answer that waits becomes one delta, nothing is left out. */
export class EventQueue {
  #waiting: ClientEvent[] = [];
  #wake = Promise.withResolvers<void>();
  #over = false;

  push(event: ClientEvent): void {
    const last = this.#waiting.at(-1);
    const merged = last === undefined ? undefined : mergeDeltas(last, event);
    if (merged === undefined) this.#waiting.push(event);
    else this.#waiting[this.#waiting.length - 1] = merged;
    this.#wake.resolve();
  }

  end(): void {
    this.#over = true;
    this.#wake.resolve();
  }

  /** @param left - called when the reader goes */
  async *read(left: () => void): AsyncGenerator<ClientEvent, void> {
    try {
      for (;;) {
        const events = this.#waiting;
        this.#waiting = [];
        yield* events;
        if (this.#waiting.length > 0) continue;
        if (this.#over) return;
        this.#wake = Promise.withResolvers<void>();
        await this.#wake.promise;
      }
    } finally {
      left();
    }
  }
}

/** Two deltas of one text as one; `undefined` when they are none. */
function mergeDeltas(first: ClientEvent, second: ClientEvent): ClientEvent | undefined {
  if (second.type !== "message.delta" && second.type !== "reasoning.delta") return undefined;
  if (first.type !== second.type || first.session_id !== second.session_id) return undefined;
  return { ...second, payload: { ...second.payload, text: first.payload.text + second.payload.text } };
}
