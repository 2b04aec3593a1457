/** The members who have the app open before them: those with an event stream to it. */
export class OpenApps {
  readonly #streams = new Map<string, number>();

  /** Notes a stream of a user. @returns what notes its end */
  enter(user: string): () => void {
    this.#add(user, 1);
    return () => this.#add(user, -1);
  }

  has(user: string): boolean {
    return this.#streams.has(user);
  }

  #add(user: string, change: 1 | -1): void {
    const count = (this.#streams.get(user) ?? 0) + change;
    if (count === 0) this.#streams.delete(user);
    else this.#streams.set(user, count);
  }
}
