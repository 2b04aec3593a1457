import type { BlobRef, Session } from "../../core/index.ts";

/** An image that goes along with the next prompt. */
export interface PromptImage {
  /** Its client knows it by this. */
  readonly path: string;
  readonly name: string;
  readonly blob: BlobRef;
  readonly mediaType: string;
  readonly size?: { readonly width: number; readonly height: number };
}

/** A session that is open in this process, with the parts that belong to no log. */
export interface OpenSession {
  readonly session: Session;
  attachments: readonly PromptImage[];
  /** Outputs of a person's commands that go along with the next prompt. */
  outputs: readonly { readonly command: string; readonly text: string }[];
  followers: number;
  /** When the last of them left. */
  leftAt: number;
  /** Puts back the settings that were changed for one turn only. */
  afterTurn?: () => Promise<void>;
}

/** Open sessions that nobody follows and that do nothing: more than this many, or for longer, are let go of. */
const MOST_LEFT = 200;
const LEFT_MS = 6 * 60 * 60 * 1000;

/** The sessions that are open in this process, in the order in which they were opened. */
export class OpenSessions {
  readonly #open = new Map<string, OpenSession>();
  readonly #now: () => number;
  /** More than this many, and it is worth looking which could go. */
  #crowd = 2 * MOST_LEFT;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string): OpenSession | undefined {
    const opened = this.#open.get(id);
    if (opened?.session.gone !== true) return opened;
    this.#open.delete(id);
    return undefined;
  }

  /** The open session of an id; opens it when it is not. */
  open(session: Session): OpenSession {
    const known = this.get(session.id);
    if (known !== undefined) return known;
    const opened: OpenSession = { session, attachments: [], outputs: [], followers: 0, leftAt: this.#now() };
    this.#open.set(session.id, opened);
    return opened;
  }

  joined(opened: OpenSession): void {
    opened.followers += 1;
  }

  left(opened: OpenSession): void {
    opened.followers -= 1;
    opened.leftAt = this.#now();
  }

  /** `false` when it was not open. */
  close(id: string): boolean {
    return this.#open.delete(id);
  }

  all(): readonly OpenSession[] {
    return [...this.#open.keys()].flatMap((id) => this.get(id) ?? []);
  }

  /** So many are open that one should not wait with letting go of some. */
  get crowded(): boolean {
    return this.#open.size > this.#crowd;
  }

  /** Lets go of what nobody has looked at for long; gives the ids. They can be resumed like all others. */
  reclaim(): readonly string[] {
    const idle = this.all().filter(
      ({ session, followers }) => followers === 0 && session.state.turn === undefined && !session.driving,
    );
    const old = this.#now() - LEFT_MS;
    const byAge = idle.toSorted((a, b) => b.leftAt - a.leftAt);
    const gone = byAge.filter(({ leftAt }, index) => index >= MOST_LEFT || leftAt < old);
    for (const { session } of gone) this.#open.delete(session.id);
    this.#crowd = 2 * Math.max(MOST_LEFT, this.#open.size);
    return gone.map(({ session }) => session.id);
  }
}
