import { EMPTY_EDITOR } from "../input/text-editor.ts";
import type { ViewStore } from "../view-store.ts";
import type { FieldOverlay, ListOverlay, PagerOverlay } from "./overlay.ts";

type PickOptions = Pick<ListOverlay, "title" | "items"> & { readonly keys?: string };
type FieldOptions = Pick<FieldOverlay, "title" | "label"> & { readonly hidden?: boolean };

/** The dialogs over the composer. A new one closes the one before it. */
export class Dialogs {
  readonly #store: ViewStore;
  #answer: (answer: string | undefined) => void = () => undefined;
  /** Something is on its way; whether the person would rather not wait for it. */
  #waiting: "no" | "yes" | "left" = "no";

  constructor(store: ViewStore) {
    this.#store = store;
  }

  /** Lets the person choose; `undefined` when they would rather not. */
  pick({ title, items, keys = "Enter chooses · Esc ends" }: PickOptions): Promise<string | undefined> {
    if (this.#wasLeft()) return Promise.resolve(undefined);
    const chosen = Math.max(
      0,
      items.findIndex(({ current }) => current),
    );
    this.#store.update({
      overlay: { kind: "list", list: "pick", title, keys, items, filter: "", chosen, loading: false },
    });
    return this.#asked();
  }

  /** Lets the person write a line; `undefined` when they would rather not. */
  field({ title, label, hidden = false }: FieldOptions): Promise<string | undefined> {
    if (this.#wasLeft()) return Promise.resolve(undefined);
    this.#store.update({ overlay: { kind: "field", title, label, hidden, typed: EMPTY_EDITOR } });
    return this.#asked();
  }

  /** Shows a text to read. */
  read(text: Omit<PagerOverlay, "kind" | "top">): void {
    this.#store.update({ overlay: { kind: "pager", top: 0, ...text } });
  }

  /** Says that something is on its way, which takes a while. Who closes that is asked nothing more. */
  wait(title: string): void {
    this.#waiting = "yes";
    this.read({ title, text: "One moment…", format: "plain" });
  }

  /** What was waited for is there, and nothing more is asked. */
  done(): void {
    this.#waiting = "no";
    this.#store.update({ overlay: undefined });
  }

  /** The person has answered, or closed what is over the composer. */
  answer(answer: string | undefined): void {
    if (this.#waiting === "yes") this.#waiting = "left";
    const tell = this.#answer;
    this.#answer = () => undefined;
    this.#store.update({ overlay: undefined });
    tell(answer);
  }

  #wasLeft(): boolean {
    const left = this.#waiting === "left";
    this.#waiting = "no";
    return left;
  }

  #asked(): Promise<string | undefined> {
    this.#answer(undefined);
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    this.#answer = resolve;
    return promise;
  }
}
