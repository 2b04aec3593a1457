import type { SessionEvent } from "../events/events.ts";
import type { EphemeralState } from "./ephemeral-state.ts";

const NONE: readonly SessionEvent[] = [];

/** One reader's view of the live events: each comes once, and never before what had been said when it was posted. */
export class EphemeralReader {
  readonly #ephemeral: EphemeralState;
  #version: number;
  /** The reader has just come, and has not been shown what runs. */
  #isNew = true;

  constructor(ephemeral: EphemeralState) {
    this.#ephemeral = ephemeral;
    this.#version = ephemeral.version;
  }

  /** Something may be there to show. */
  get hasNews(): boolean {
    return this.#isNew || this.#version !== this.#ephemeral.version;
  }

  /**
   * The live events to show before what follows a cursor.
   *
   * @param seq - the cursor of the last event that the reader has
   */
  before(cursor: number, seq: number): readonly SessionEvent[] {
    if (!this.hasNews) return NONE;
    const ephemeral = this.#ephemeral;
    // Who comes is shown all latest previews.
    const posted = ephemeral.after(this.#version, this.#isNew ? 0 : this.#version);
    const early = posted.findIndex(({ behind }) => behind > cursor);
    const due = early < 0 ? posted : posted.slice(0, early);
    this.#version = early < 0 ? ephemeral.version : (due.at(-1)?.version ?? this.#version);
    this.#isNew &&= early === 0;
    return due.map(({ event, at }) => ({ ...event, seq, at }));
  }
}
