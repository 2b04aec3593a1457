import type { FittedImage } from "../../shared/content/image-fitter.ts";

/** Bytes of all of them together. */
const MOST_BYTES = 32 * 2 ** 20;

/** A cache of images that were made smaller lately: a conversation sends its images with each request. */
export class FittedImages {
  readonly #images = new Map<string, FittedImage>();
  #size = 0;

  get(key: string): FittedImage | undefined {
    const image = this.#images.get(key);
    if (image === undefined) return undefined;
    // The image that was used last is removed last.
    this.#images.delete(key);
    this.#images.set(key, image);
    return image;
  }

  put(key: string, image: FittedImage): void {
    this.#images.set(key, image);
    this.#size += image.bytes.length;
    for (const [oldest, { bytes }] of this.#images) {
      if (this.#size <= MOST_BYTES) break;
      this.#images.delete(oldest);
      this.#size -= bytes.length;
    }
  }
}
