const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

/**
 * A collector that holds a paste until its end and passes it on in one piece. Ink searches the whole paste for its end
 * with every piece, which takes far too long for thousands of pieces.
 */
export class PasteCollector {
  readonly #pieces: string[] = [];
  /** The last of what is held: the end may be cut in pieces. */
  #tail = "";

  /** Takes what was typed or pasted. Gives what is complete; a beginning that is cut in two is given on as it is. */
  take(text: string): string {
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
}
