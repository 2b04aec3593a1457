import { Signal } from "../../shared/async/signal.ts";
import type { Piece } from "../ports/store.ts";

/** The streamed text that goes out with one append. */
export interface TextBatch {
  /** The text that this append saves. */
  readonly pieces: readonly Piece[];
  /** The text that its rows hold, in case they do not arrive. */
  readonly held: readonly Piece[];
  /** The part of either that nobody has seen yet. */
  readonly unshown: readonly Piece[];
}

/** The text of the reply that streams, from when it gets its cursor until a row holds it. */
export class StreamedText {
  readonly #drained = new Signal();
  #pieces: Piece[] = [];
  #unsaved: Piece[] = [];
  /** Characters since everything was saved the last time. */
  #backlog = 0;

  /** All of it, saved or not. */
  get pieces(): readonly Piece[] {
    return this.#pieces;
  }

  /** Some of it has not been sent to the store yet. */
  get hasUnsaved(): boolean {
    return this.#unsaved.length > 0;
  }

  /** What the store does not have yet. */
  get unsaved(): readonly Piece[] {
    return this.#unsaved;
  }

  add(piece: Piece): void {
    this.#pieces.push(piece);
    this.#unsaved.push(piece);
    this.#backlog += piece.text.length;
  }

  /** Continues after the text that a dead owner had streamed and saved. */
  inherit(pieces: readonly Piece[]): void {
    this.#pieces = [...pieces];
  }

  /** @param endsReply - a row of the append holds all of it, so that nothing else has to save it */
  take(endsReply: boolean): TextBatch {
    const unshown = this.#unsaved;
    const held = endsReply ? this.#pieces : [];
    this.#unsaved = [];
    if (endsReply) this.#pieces = [];
    return { pieces: endsReply ? [] : unshown, held, unshown };
  }

  /** The append that took it failed. @param again - for something else: what nobody has seen goes with the next one */
  putBack({ held, unshown }: TextBatch, again: boolean): void {
    if (held.length > 0) this.#pieces = inOrder([...this.#pieces, ...held]);
    if (again) this.#unsaved = inOrder([...unshown, ...this.#unsaved]);
  }

  /** The lease is gone, and the reply with it. */
  drop(): void {
    this.#pieces = [];
    this.#unsaved = [];
  }

  /** The store has saved what it did not have. */
  saved(): void {
    this.#unsaved = [];
    this.settle();
  }

  /** An append has arrived, or failed, or text was saved without one. */
  settle(): void {
    if (this.#unsaved.length === 0) this.#backlog = 0;
    this.#drained.notify();
  }

  /** Waits while more than `limit` characters are not saved yet; `undefined` when there is room. */
  waitForRoom(limit: number, signal: AbortSignal): Promise<void> | undefined {
    return this.#backlog > limit ? this.#untilBelow(limit, signal) : undefined;
  }

  async #untilBelow(limit: number, signal: AbortSignal): Promise<void> {
    while (this.#backlog > limit && !signal.aborted) await this.#drained.wait(signal);
  }
}

const inOrder = (pieces: Piece[]): Piece[] => pieces.sort((a, b) => a.cursor - b.cursor);
