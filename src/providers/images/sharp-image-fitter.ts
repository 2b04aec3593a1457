import { TaskQueue } from "../../shared/async/keyed-queue.ts";
import type { FittedImage, ImageFitter, ImageLimits } from "../../shared/content/image-fitter.ts";
import { FittedImages } from "./fitted-images.ts";
import { shrink } from "./shrink.ts";

/**
 * An image fitter by the library sharp. It makes images smaller one at a time and remembers the latest ones. The
 * library is loaded with the first image.
 */
export class SharpImageFitter implements ImageFitter {
  readonly #fitted = new FittedImages();
  readonly #queue = new TaskQueue();

  async fit(
    bytes: Uint8Array,
    { key, limits }: { readonly key: string; readonly limits: ImageLimits },
  ): Promise<FittedImage> {
    const known = `${key} ${limits.side} ${limits.bytes}`;
    return await this.#queue.run(async () => {
      const kept = this.#fitted.get(known);
      if (kept !== undefined) return kept;
      const fitted = await shrink(bytes, limits);
      this.#fitted.put(known, fitted);
      return fitted;
    });
  }
}
