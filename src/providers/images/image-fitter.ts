import { TaskQueue } from "../../shared/async/keyed-queue.ts";
import { FittedImages, type Fitted } from "./fitted-images.ts";
import { type ImageLimits, shrink } from "./shrink.ts";

/** Makes images smaller, one at a time, and remembers those of late. The library for it is loaded with the first. */
export class SharpImageFitter {
  readonly #fitted = new FittedImages();
  readonly #queue = new TaskQueue();

  /**
   * The picture within limits, the same bytes for the same image.
   *
   * @param key - the same for the same bytes, and for no others
   * @throws HostError `tool_failed`, with the reason
   */
  async fit(
    bytes: Uint8Array,
    { key, limits }: { readonly key: string; readonly limits: ImageLimits },
  ): Promise<Fitted> {
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
