import { type DurableEvent, saidWords } from "../../../../core/index.ts";
import { FOUND_KINDS, indexedText, TITLE } from "../../search/indexed-text.ts";
import { textVector } from "./text-vector.ts";

/** The place of a row that was read, of a session by its key. */
export interface ReadPlace {
  readonly session: number;
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
}

/** A text on its way into the index. */
interface NewText extends ReadPlace {
  readonly kind: number;
  readonly long: boolean;
  readonly words: string;
}

/** The changes of the index's texts that some rows make. */
export class TextChanges {
  #texts: (NewText & { readonly learnt: ReadonlySet<string> })[] = [];
  readonly #titled = new Set<number>();
  readonly #undone = new Map<number, number>();

  take(row: ReadPlace, event: DurableEvent): void {
    const { session, seq } = row;
    if (event.type === "history.undo") {
      if (event.keep < seq) this.#undo(session, event.keep);
      return;
    }
    if (event.type === "title.set" || event.type === "session.branch") {
      this.#titled.add(session);
      this.#texts = this.#texts.filter((each) => each.session !== session || each.kind !== TITLE);
    }
    for (const { kind, text: said } of saidWords(event)) {
      const text = indexedText(said);
      this.#texts.push({
        ...row,
        kind: FOUND_KINDS.indexOf(kind),
        ...textVector(text),
        learnt: text.learnt,
      });
    }
  }

  /** Sessions whose earlier titles go. */
  get titled(): readonly number[] {
    return [...this.#titled];
  }

  /** Sessions with the cursor behind which what was said goes. */
  get undone(): readonly (readonly [session: number, keep: number])[] {
    return [...this.#undone];
  }

  get texts(): readonly NewText[] {
    return this.#texts.map(({ learnt: _learnt, ...text }) => text);
  }

  /** The words that each text teaches. */
  get learnt(): readonly ReadonlySet<string>[] {
    return this.#texts.map(({ learnt }) => learnt);
  }

  #undo(session: number, keep: number): void {
    this.#undone.set(session, Math.min(keep, this.#undone.get(session) ?? keep));
    this.#texts = this.#texts.filter(
      (each) => each.session !== session || each.seq <= keep || each.kind === TITLE,
    );
  }
}
