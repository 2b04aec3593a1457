/** A text that is mostly the same from one time to the next: its bytes are made again only when it changed. */
export class RepeatedText {
  #parts: readonly string[] = [];
  #bytes = new Uint8Array(0);

  bytes(parts: readonly string[]): Uint8Array {
    const known = this.#parts;
    if (parts.length !== known.length || parts.some((part, place) => part !== known[place])) {
      this.#parts = parts;
      this.#bytes = Buffer.from(parts.join(""));
    }
    return this.#bytes;
  }
}
