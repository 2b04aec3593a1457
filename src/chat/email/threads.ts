import type { ChannelNotes } from "../port/platform.ts";
import type { Mail } from "./reading/mail.ts";

const KEPT_MS = 90 * 24 * 3_600_000;
const MOST_KNOWN = 2000;
const MOST_REFERENCES = 20;

/** The end of a thread: what its next mail needs. */
export interface ThreadEnd {
  readonly subject: string;
  /** Ids of its mails, the oldest first. */
  readonly references: readonly string[];
}

/** The ends of threads, as notes: a mail says what it answers by the ids of those before it. */
export class Threads {
  readonly #notes: ChannelNotes;
  readonly #known = new Map<string, ThreadEnd>();
  #isRead = false;

  constructor(notes: ChannelNotes) {
    this.#notes = notes;
  }

  /** Notes a mail that came; gives its thread's id. @param now - Unix milliseconds */
  async note(mail: Mail, id: string, now: number): Promise<string> {
    const threadId = mail.references[0] ?? id;
    const references = [...new Set([...mail.references, id])];
    const end = { subject: mail.subject.slice(0, 200), references: references.slice(-MOST_REFERENCES) };
    this.#keep(threadId, end);
    await this.#notes.put(`thread ${threadId}`, JSON.stringify(end), now + KEPT_MS);
    return threadId;
  }

  /** The end of a thread; of one that is not known any more its beginning. */
  async find(threadId: string): Promise<ThreadEnd> {
    if (!this.#isRead) {
      this.#isRead = true;
      for (const [key, value] of await this.#notes.all())
        // Only this file writes such notes.
        if (key.startsWith("thread ") && !this.#known.has(key.slice(7)))
          this.#known.set(key.slice(7), JSON.parse(value) as ThreadEnd);
    }
    return this.#known.get(threadId) ?? { subject: "", references: [threadId] };
  }

  #keep(threadId: string, end: ThreadEnd): void {
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.set(threadId, end);
  }
}
