import type { Client } from "./client.ts";
import type { Editor } from "./composer/editor.ts";

/** What a word that is being written could be completed as. */
type Wanted =
  | { readonly kind: "slash"; readonly text: string }
  | { readonly kind: "path"; readonly word: string; readonly from: number };

/** Asks for completions as the text changes. An answer that is late, because the text has changed again, is dropped. */
export class Completing {
  readonly #client: Client;
  #asked = "";

  constructor(client: Client) {
    this.#client = client;
  }

  /** Looks whether there is something to complete; called after each change of the screen's state. */
  look(): void {
    const { editor, search } = this.#client.store.state.composer;
    const wanted = search === undefined ? wantedOf(editor) : undefined;
    const key = wanted === undefined ? "" : `${editor.caret}:${editor.text}`;
    if (key === this.#asked) return;
    this.#asked = key;
    // Without an answer there is nothing to complete; writing goes on.
    if (wanted !== undefined) this.#ask(wanted, key).catch(() => undefined);
  }

  async #ask(wanted: Wanted, key: string): Promise<void> {
    const { items, from } = await this.#completions(wanted);
    const { store } = this.#client;
    const { composer } = store.state;
    if (this.#asked !== key || composer.search !== undefined) return;
    const typed = composer.editor.text.slice(from, composer.editor.caret);
    const useful = items.filter(({ text }) => text !== typed);
    const completion = useful.length === 0 ? undefined : { items: useful, chosen: 0, from, touched: false };
    store.update({ composer: { ...composer, completion } });
  }

  async #completions(wanted: Wanted) {
    const { desk } = this.#client;
    const session_id = desk.sessionId;
    const where = session_id === undefined ? {} : { session_id };
    if (wanted.kind === "slash") {
      const { items, replace_from } = await desk.request("complete.slash", { text: wanted.text, ...where });
      return { items, from: replace_from };
    }
    const { items } = await desk.request("complete.path", { word: wanted.word, ...where });
    return { items, from: wanted.from };
  }
}

function wantedOf({ text, caret }: Editor): Wanted | undefined {
  if (/^\/[^\n]*$/.test(text) && caret === text.length) return { kind: "slash", text };
  const word = /(?:^|\s)(@\S*)$/.exec(text.slice(Math.max(0, caret - 500), caret))?.[1];
  return word === undefined ? undefined : { kind: "path", word, from: caret - word.length };
}
