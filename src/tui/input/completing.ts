import type { Client } from "../client.ts";
import { localCompletions } from "../commands.ts";
import { isWalking } from "./prompt-recall.ts";
import type { TextEditor } from "./text-editor.ts";
import { displayCompletions } from "../display-command.ts";
import type { CompletionList } from "../state/app-state.ts";

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
    const { editor, search, recall } = this.#client.store.state.composer;
    // A list would take the keys that go on recalling.
    const isWritten = search === undefined && !isWalking(recall);
    const wanted = isWritten ? wantedOf(editor) : undefined;
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
    const { controller } = this.#client;
    if (wanted.kind === "slash") {
      const own = ownCompletions(wanted.text);
      if (own !== undefined) return own;
      const { items, replace_from } = await controller.request("complete.slash", {
        text: wanted.text,
        ...controller.where,
      });
      return { items: withLocal(items, wanted.text), from: replace_from };
    }
    const { items } = await controller.request("complete.path", { word: wanted.word, ...controller.where });
    return { items, from: wanted.from };
  }
}

type Items = CompletionList["items"];

/** What goes on after a command of the client's own. */
function ownCompletions(text: string): Pick<CompletionList, "items" | "from"> | undefined {
  const argument = /^\/display (.*)$/.exec(text)?.[1];
  if (argument === undefined) return undefined;
  const items = displayCompletions(argument).map((each) => ({ ...each, display: each.text }));
  return { items, from: text.lastIndexOf(" ") + 1 };
}

/** The client's own commands, behind those of the gateway. */
function withLocal(items: Items, text: string): Items {
  const known = new Set(items.map((each) => each.text));
  const local = localCompletions(text).filter((each) => !known.has(each.text));
  return [...items, ...local.map((each) => ({ ...each, display: `/${each.text}` }))];
}

function wantedOf({ text, caret }: TextEditor): Wanted | undefined {
  if (/^\/[^\n]*$/.test(text) && caret === text.length) return { kind: "slash", text };
  const word = /(?:^|\s)(@\S*)$/.exec(text.slice(Math.max(0, caret - 500), caret))?.[1];
  return word === undefined ? undefined : { kind: "path", word, from: caret - word.length };
}
