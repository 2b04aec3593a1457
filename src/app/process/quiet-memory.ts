import type { Clock } from "../../shared/async/clock.ts";
import type { Heap } from "./heap.ts";

/** Milliseconds after the last sign of work at which there is a look: what a start leaves behind comes bit by bit. */
const LOOKS_MS = [600, 5000, 30_000];
/** Bytes that are worth the time. */
const WORTH_IT = 4 * 1024 * 1024;

interface Parts {
  readonly clock: Clock;
  readonly heap: Heap;
  readonly isBusy: () => boolean;
}

/**
 * The memory of a process that stays, while it has nothing to do: V8 keeps what a start and a turn needed for the moment,
 * as long as nothing happens. It is given back then.
 */
export class QuietMemory implements Disposable {
  readonly #parts: Parts;
  /** Bytes that were left the last time. */
  #left = 0;
  #cancel: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.worked();
  }

  /** Is told that there was something to do. */
  worked(): void {
    this.#await(0);
  }

  [Symbol.dispose](): void {
    this.#cancel?.();
  }

  #await(look: number): void {
    this.#cancel?.();
    const at = LOOKS_MS[look];
    if (at === undefined) return;
    const since = look === 0 ? 0 : (LOOKS_MS[look - 1] ?? 0);
    this.#cancel = this.#parts.clock.after(at - since, () => this.#look(look));
  }

  #look(look: number): void {
    const { heap, isBusy } = this.#parts;
    if (!isBusy() && heap.size() - this.#left >= WORTH_IT) {
      heap.release();
      this.#left = heap.size();
    }
    this.#await(look + 1);
  }
}
