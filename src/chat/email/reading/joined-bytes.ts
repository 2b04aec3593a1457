/** The bytes of many parts, joined at once: as much of a `Blob` as who only wants them back in one piece needs. */
export class JoinedBytes {
  readonly #bytes: Uint8Array<ArrayBuffer>;

  /** @param parts - in their order; text becomes UTF-8 */
  constructor(parts: readonly (Uint8Array | ArrayBuffer | string)[]) {
    this.#bytes = new Uint8Array(parts.reduce((sum, part) => sum + lengthOf(part), 0));
    const all = Buffer.from(this.#bytes.buffer);
    let at = 0;
    for (const part of parts) {
      if (typeof part === "string") all.write(part, at);
      else this.#bytes.set(part instanceof ArrayBuffer ? new Uint8Array(part) : part, at);
      at += lengthOf(part);
    }
  }

  /** Gives them, without a copy. */
  arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(this.#bytes.buffer);
  }
}

const lengthOf = (part: Uint8Array | ArrayBuffer | string): number =>
  typeof part === "string" ? Buffer.byteLength(part) : part.byteLength;
