import { type LatePaste, beginsLate, takeLate } from "./late-paste.ts";

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";
/** Ctrl+C, as all terminals send it and as those that tell keys apart. */
const CTRL_C = new Set(["\u0003", "\u001b[99;5u"]);

/**
 * A collector that holds a paste until its end and passes it on in one piece. Ink searches the whole paste for its end
 * with every piece, which takes far too long for thousands of pieces.
 */
export class PasteCollector {
  readonly #pieces: string[] = [];
  /** The last of what is held: the end may be cut in pieces. */
  #tail = "";
  /** A paste was passed on before its end: what comes may be the rest of it. */
  #late: LatePaste | undefined;

  /** Whether it waits for the end of a paste, or for its rest. `rest` is to be called when nothing comes for a while. */
  get waits(): boolean {
    return this.#pieces.length > 0 || this.#late?.endsWithRest === true;
  }

  /** Takes what was typed or pasted. Gives what is complete; a beginning that is cut in two is given on as it is. */
  take(text: string): string {
    if (this.#late !== undefined) return this.#takeLate(this.#late, text);
    // Somebody who sees that nothing works any more.
    if (this.#pieces.length > 0 && CTRL_C.has(text)) return this.#passOn({ endsWithRest: true }) + text;
    const begin = this.#pieces.length > 0 ? 0 : text.indexOf(BEGIN);
    if (begin === -1) return text;
    const before = text.slice(0, begin);
    const pasted = text.slice(begin);
    const searched = this.#tail + pasted;
    const end = searched.indexOf(END);
    this.#pieces.push(pasted);
    this.#tail = end === -1 ? searched.slice(1 - END.length) : "";
    if (end === -1) return before;
    const rest = searched.slice(end + END.length);
    const whole = this.#pieces.splice(0).join("");
    return before + whole.slice(0, whole.length - rest.length) + this.take(rest);
  }

  /** Nothing came for a while: gives what is held of a paste. */
  rest(): string {
    if (this.#pieces.length > 0) return this.#passOn({ endsWithRest: false });
    if (this.#late?.endsWithRest === true) this.#late = undefined;
    return "";
  }

  #passOn(late: Pick<LatePaste, "endsWithRest">): string {
    const whole = this.#pieces.splice(0).join("");
    this.#tail = "";
    const { held, text } = beginsLate(whole);
    this.#late = { ...late, held };
    return text + END;
  }

  #takeLate(late: LatePaste, text: string): string {
    const { given, next, typed } = takeLate(late, text);
    this.#late = next;
    return given + (typed === "" ? "" : this.take(typed));
  }
}
