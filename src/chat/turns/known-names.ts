const MOST = 5000;

/** Names of people who were heard lately on the platforms of a process: what one of them did shows in other chats too. */
export class KnownNames {
  /** By the clients of their origins. */
  readonly #people = new Map<string, { readonly name: string; readonly title: string }>();

  /** @param title - the platform's name as people write it */
  remember(client: string, person: { readonly name: string; readonly title: string }): void {
    if (this.#people.size >= MOST) this.#people.clear();
    this.#people.set(client, person);
  }

  /** Somebody as people on a platform know them: by the name, and by the platform when it is another one. */
  of(client: string, platform: string): string {
    const person = this.#people.get(client);
    if (person === undefined) return client;
    return client.startsWith(`${platform}:`) ? person.name : `${person.name} on ${person.title}`;
  }
}
