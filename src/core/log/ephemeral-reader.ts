import type { SessionEvent } from "../events/events.ts";
import type { EphemeralState } from "./ephemeral-state.ts";

const NONE: readonly SessionEvent[] = [];

/** One reader's look at what is in no log: each note once, and never before what had been said when it was posted. */
export class EphemeralReader {
  readonly #board: EphemeralState;
  #version: number;
  /** The reader has just come, and has not been shown what runs. */
  #isNew = true;

  constructor(board: EphemeralState) {
    this.#board = board;
    this.#version = board.version;
  }

  /**
   * The notes to show before what follows a cursor.
   *
   * @param seq - the cursor of the last event that the reader has
   */
  before(cursor: number, seq: number): readonly SessionEvent[] {
    const board = this.#board;
    if (!this.#isNew && this.#version === board.version) return NONE;
    const news = this.#isNew ? board.first(this.#version) : board.since(this.#version);
    const early = news.findIndex(({ behind }) => behind > cursor);
    const due = early < 0 ? news : news.slice(0, early);
    this.#version = early < 0 ? board.version : (due.at(-1)?.version ?? this.#version);
    this.#isNew &&= early === 0;
    return due.map(({ event, at }) => ({ ...event, seq, at }));
  }
}
