const HIDDEN = Buffer.from("[hidden]");

/** Takes secrets out of a byte stream, also where they come in pieces. */
export class SecretFilter {
  readonly #secrets: Buffer[] = [];
  #held: Uint8Array = new Uint8Array(0);

  /** From now on this is hidden. */
  add(secret: string): void {
    if (secret !== "") this.#secrets.push(Buffer.from(secret));
  }

  /** Takes the next bytes and gives back what is safe; a possible beginning of a secret is held back. */
  push(chunk: Uint8Array): Uint8Array {
    if (this.#secrets.length === 0) return chunk;
    let bytes = Buffer.concat([this.#held, chunk]);
    for (const secret of this.#secrets) bytes = replaceAll(bytes, secret);
    const held = Math.max(0, ...this.#secrets.map((secret) => heldLength(bytes, secret)));
    this.#held = bytes.subarray(bytes.length - held);
    return bytes.subarray(0, bytes.length - held);
  }

  /** What was held back, at the end. */
  flush(): Uint8Array {
    const rest = this.#held;
    this.#held = new Uint8Array(0);
    return rest;
  }
}

function replaceAll(bytes: Buffer<ArrayBuffer>, secret: Buffer): Buffer<ArrayBuffer> {
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = bytes.indexOf(secret); at >= 0; at = bytes.indexOf(secret, from)) {
    parts.push(bytes.subarray(from, at), HIDDEN);
    from = at + secret.length;
  }
  return parts.length === 0 ? bytes : Buffer.concat([...parts, bytes.subarray(from)]);
}

/** Bytes at the end that could be the beginning of a secret. */
function heldLength(bytes: Buffer, secret: Buffer): number {
  for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length -= 1) {
    if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
  }
  return 0;
}
