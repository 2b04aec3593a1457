const MOST = 5000;

/**
 * The versions of messages that were changed. A message is known by the time of its first version; a change names the version
 * before it, and has a time of its own.
 */
export class Revisions {
  readonly #first = new Map<string, string>();
  readonly #last = new Map<string, string>();

  /** The first version of a message. */
  firstOf(id: string): string {
    return this.#first.get(id) ?? id;
  }

  /** The version that shows now. */
  lastOf(first: string): string {
    return this.#last.get(first) ?? first;
  }

  /** A version was changed into another one. */
  note(before: string, after: string): void {
    const first = this.firstOf(before);
    for (const versions of [this.#first, this.#last]) {
      const [oldest] = versions.keys();
      if (versions.size >= MOST && oldest !== undefined) versions.delete(oldest);
    }
    this.#first.set(after, first);
    this.#last.set(first, after);
  }
}
