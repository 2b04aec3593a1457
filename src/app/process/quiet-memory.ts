import type { Clock } from "../../shared/async/clock.ts";
import type { Heap } from "./heap.ts";

const MB = 1024 * 1024;
/**
 * The looks after the last sign of work, in milliseconds: what a start leaves behind comes bit by bit. To give back takes up to
 * 4 ms for a megabyte, in which a prompt would wait: the more there is, the longer it must have been quiet.
 */
const LOOKS = [
  { after: 600, most: 32 * MB },
  { after: 2000, most: 96 * MB },
  { after: 5000, most: 96 * MB },
  { after: 30_000, most: 256 * MB },
  // V8 gives nothing back by itself while nothing happens.
  { after: 300_000, most: Infinity },
] as const;
/** Bytes that are worth the time. */
const WORTH_IT = 4 * MB;

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
    const next = LOOKS[look];
    if (next === undefined) return;
    const since = LOOKS[look - 1]?.after ?? 0;
    this.#cancel = this.#parts.clock.after(next.after - since, () => {
      this.#look(next.most);
      this.#await(look + 1);
    });
  }

  #look(most: number): void {
    const { heap, isBusy } = this.#parts;
    const size = heap.size();
    if (isBusy() || size > most || size - this.#left < WORTH_IT) return;
    heap.release();
    this.#left = heap.size();
  }
}
