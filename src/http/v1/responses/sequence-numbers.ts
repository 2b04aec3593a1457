import type { SessionEvent } from "../../../core/index.ts";

/** Gives the frames of a streamed response their `sequence_number`. */
export interface SequenceNumbers {
  /** The frames that come next are made of this event. */
  at(event: SessionEvent): void;
  /** The number of the next frame; `undefined` when its reader has it already. */
  next(): number | undefined;
  /** What of an event's text its reader does not have, and the number of the frame for it. */
  text(
    event: SessionEvent & { readonly text: string },
  ): { readonly n: number; readonly text: string } | undefined;
}

/** From 0, each one more: of streams that are read once. */
export class CountedNumbers implements SequenceNumbers {
  #next = 0;

  at(): void {
    // A frame's number does not depend on what it is made of.
  }

  next(): number {
    return this.#next++;
  }

  text({ text }: { readonly text: string }): { readonly n: number; readonly text: string } {
    return { n: this.next(), text };
  }
}

/** More frames than that are made of no event. */
const STRIDE = 16;
/** The text of an event comes after all that it opens. */
const LAST = STRIDE - 1;

/**
 * Numbers that follow from where a frame stands in the log: they grow, with gaps, and are the same for everybody who
 * reads the response, at any time, in whatever pieces its text comes. So a reader can come back with the number of the
 * last frame it has.
 */
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
    // What a text opens stands at its first character, in whatever pieces it is read.
    this.#at = isText(event) ? cursor - event.text.length + 1 : cursor;
    this.#next = 0;
  }

  next(): number | undefined {
    const n = this.#at * STRIDE + this.#next;
    this.#next += 1;
    return n > this.#has ? n : undefined;
  }

  text({ seq, text }: SessionEvent & { readonly text: string }): ReturnType<SequenceNumbers["text"]> {
    const missing = seq - this.#before - this.#read;
    if (missing <= 0) return undefined;
    return { n: (seq - this.#before) * STRIDE + LAST, text: text.slice(-missing) };
  }
}

const isText = (
  event: SessionEvent,
): event is Extract<SessionEvent, { type: "message.delta" | "reasoning.delta" }> =>
  event.type === "message.delta" || event.type === "reasoning.delta";
