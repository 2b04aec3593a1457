/** An image that was made smaller. */
export interface Fitted {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** Bytes of all of them together. */
const ROOM = 32 * 2 ** 20;

/** A cache of images that were made smaller: a conversation sends its images with each request. */
export class FittedImages {
  readonly #images = new Map<string, Fitted>();
  #size = 0;

  get(key: string): Fitted | undefined {
    const image = this.#images.get(key);
    if (image === undefined) return undefined;
    // The one that was used last is the last to go.
    this.#images.delete(key);
    this.#images.set(key, image);
    return image;
  }

  put(key: string, image: Fitted): void {
    this.#images.set(key, image);
    this.#size += image.bytes.length;
    for (const [oldest, { bytes }] of this.#images) {
      if (this.#size <= ROOM) break;
      this.#images.delete(oldest);
      this.#size -= bytes.length;
    }
  }
}
