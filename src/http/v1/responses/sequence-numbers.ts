import { isDelta, type SessionEvent, type TextEvent } from "../../../core/index.ts";

/** A source of the `sequence_number` of each frame of a streamed response. */
export interface SequenceNumbers {
  /** Says that the next frames come from this event. */
  at(event: SessionEvent): void;
  /** Gives the number of the next frame; `undefined` if its reader has it already. */
  next(): number | undefined;
  /** Gives the part of an event's text that its reader does not have, and the number of its frame. */
  text(event: TextEvent): { readonly n: number; readonly text: string } | undefined;
}

/** Counted numbers from 0 upwards, for streams that are read once. */
export class CountedNumbers implements SequenceNumbers {
  #next = 0;

  at(): void {
    // The numbers do not depend on the events.
  }

  next(): number {
    return this.#next++;
  }

  text({ text }: TextEvent) {
    return { n: this.next(), text };
  }
}

/** No event makes more frames than this. */
const STRIDE = 16;
/** The frame of an event's text comes after the frames that it opens. */
const LAST = STRIDE - 1;

/** Rising numbers that follow from a frame's cursor in the log. They have gaps and are the same for every reader. */
export class CursorNumbers implements SequenceNumbers {
  readonly #before: number;
  readonly #has: number;
  /** The cursor up to which the reader has all text. */
  readonly #read: number;
  #at = 0;
  #next = 0;

  /**
   * @param before - the cursor before the response
   * @param has - the number of the last frame that the reader has; -1 for none
   */
  constructor(before: number, has = -1) {
    this.#before = before;
    this.#has = has;
    this.#read = Math.floor(has / STRIDE) - (has % STRIDE === LAST ? 0 : 1);
  }

  at(event: SessionEvent): void {
    const cursor = event.seq - this.#before;
    // The frames that a text opens have the number of its first character, whatever the pieces.
    this.#at = isDelta(event) ? cursor - event.text.length + 1 : cursor;
    this.#next = 0;
  }

  next(): number | undefined {
    const n = this.#at * STRIDE + this.#next;
    this.#next += 1;
    return n > this.#has ? n : undefined;
  }

  text({ seq, text }: TextEvent) {
    const missing = seq - this.#before - this.#read;
    if (missing <= 0) return undefined;
    return { n: (seq - this.#before) * STRIDE + LAST, text: text.slice(-missing) };
  }
}
