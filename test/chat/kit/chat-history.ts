/** A message as people see it in a place. */
export interface SeenMessage {
  readonly id: string;
  /** `chat`, or `chat/thread`. */
  readonly place: string;
  readonly by: "person" | "bot";
  /** As it looks now. */
  text: string;
  /** As it looked before it was edited, the oldest first. */
  readonly before: string[];
  /** Words on its buttons. */
  buttons: readonly { readonly label: string; readonly value: string }[];
  readonly files: readonly string[];
}

/** Something that a platform would forbid a bot to do: it sent faster than it may, or while it was told to wait. */
export interface Breach {
  readonly place: string;
  readonly what: string;
}

/** All that a person would see on a fake platform, in the order in which it came. */
export class ChatHistory {
  readonly messages: SeenMessage[] = [];
  readonly breaches: Breach[] = [];
  readonly typing: string[] = [];
  /** Files of the bot as people get them. */
  readonly received: { readonly name: string; readonly bytes: Uint8Array }[] = [];
  readonly #byId = new Map<string, SeenMessage>();
  readonly #watchers = new Set<() => void>();
  #news: string[] = [];
  #lacking: string | undefined;

  add(message: Omit<SeenMessage, "before" | "buttons" | "files"> & Partial<SeenMessage>): SeenMessage {
    const seen = { before: [], buttons: [], files: [], ...message };
    this.messages.push(seen);
    this.#byId.set(`${seen.place.split("/")[0] ?? ""} ${seen.id}`, seen);
    if (seen.by === "bot") this.#news.push(seen.text);
    this.changed();
    return seen;
  }

  /** A message of a chat. */
  find(chat: string, id: string): SeenMessage | undefined {
    return this.#byId.get(`${chat} ${id}`);
  }

  /** Changes a message of the bot; `undefined` when it is not there. */
  edit(chat: string, id: string, change: Pick<SeenMessage, "text" | "buttons">): SeenMessage | undefined {
    const seen = this.find(chat, id);
    if (seen === undefined) return undefined;
    if (seen.text !== change.text) seen.before.push(seen.text);
    seen.text = change.text;
    seen.buttons = change.buttons;
    this.#news.push(seen.text);
    this.changed();
    return seen;
  }

  /** The newest message, of a place or of all, that has a button with these words, and what a press of it says. */
  button(label: string, place?: string): { readonly message: SeenMessage; readonly value: string } {
    for (const message of this.messages.toReversed()) {
      const button = message.buttons.find((each) => each.label === label);
      if (button !== undefined && (place ?? message.place) === message.place)
        return { message, value: button.value };
    }
    throw new Error(`No message has a button ${label}.`);
  }

  /** Texts of the bot that came, or were changed, since this was asked last. */
  takeChanged(): readonly string[] {
    const news = this.#news;
    this.#news = [];
    return news;
  }

  /** Messages of the bot in a place, as they look now. */
  said(place: string): readonly string[] {
    return this.messages.filter((each) => each.by === "bot" && each.place === place).map(({ text }) => text);
  }

  /** A request was refused for want of a field: who waits for what it would do waits in vain, and is told. */
  lacks(field: string): void {
    this.#lacking = field;
    this.changed();
  }

  /** Resolves as soon as something holds; looks at each change. @throws Error when a request lacks a field */
  until(holds: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const look = (): void => {
      const isOver = holds();
      if (!isOver && this.#lacking === undefined) return;
      this.#watchers.delete(look);
      if (isOver) resolve();
      else reject(new Error(`A request of the bot was refused: it has no ${this.#lacking}.`));
    };
    this.#watchers.add(look);
    look();
    return promise;
  }

  /** Tells those who wait that there is something new. */
  changed(): void {
    for (const look of this.#watchers) look();
  }
}
