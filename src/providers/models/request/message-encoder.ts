import type { ImagePart, ModelMessage, ModelRequest } from "../../../core/index.ts";
import type { Dialect, EncodingContext } from "../dialects/dialect.ts";
import type { ImageFitter } from "./image-fitter.ts";
import { notesForImages, imagesIn, imagesWithRoom, loadImages } from "./images.ts";
import { readerOf, type ModelSettings } from "../dialects/model-settings.ts";

/**
 * Encodes the messages of requests, each message object once: a conversation grows at its end. Messages with images
 * are encoded each time, so that no session holds pictures in memory.
 */
export class MessageEncoder<Encoded> {
  readonly #dialect: Dialect<Encoded>;
  readonly #settings: ModelSettings;
  readonly #fitter: ImageFitter | undefined;
  readonly #known = new WeakMap<ModelMessage, Encoded>();
  /** Replies whose opaque items this model would not take back. */
  readonly #refused = new WeakSet<ModelMessage>();

  /** @param fitter - makes images smaller that are too large; without it they are left out */
  constructor(dialect: Dialect<Encoded>, settings: ModelSettings, fitter?: ImageFitter) {
    this.#dialect = dialect;
    this.#fitter = fitter;
    this.#settings = settings;
  }

  async encode(request: ModelRequest): Promise<readonly Encoded[]> {
    const all: Encoded[] = [];
    const fresh = request.messages.filter((message) => !this.#known.has(message));
    const chosen = imagesWithRoom(fresh);
    for (const message of request.messages)
      all.push(this.#known.get(message) ?? (await this.#encodeNew(message, { request, chosen })));
    return all;
  }

  /** From now on these messages go without their opaque items. `false` when they had none for this model. */
  leaveItemsOut(messages: readonly ModelMessage[]): boolean {
    const reader = readerOf(this.#settings);
    const carriers = messages.filter(
      (message) =>
        message.role === "assistant" && message.items?.model === reader && !this.#refused.has(message),
    );
    for (const message of carriers) {
      this.#refused.add(message);
      this.#known.delete(message);
    }
    return carriers.length > 0;
  }

  async #encodeNew(
    message: ModelMessage,
    { request, chosen }: { readonly request: ModelRequest; readonly chosen: ReadonlySet<ImagePart> },
  ): Promise<Encoded> {
    const { name, vision } = this.#settings;
    const reader = this.#refused.has(message) ? undefined : readerOf(this.#settings);
    const images = vision ? imagesIn(message) : [];
    if (images.length > 0) {
      const image = await loadImages(images, {
        loadBlob: (blob) => request.loadBlob(blob),
        fitter: this.#fitter,
        chosen,
      });
      return this.#dialect.encode(message, { reader, image });
    }
    const encoding: EncodingContext = { reader, image: notesForImages(name) };
    const encoded = this.#dialect.encode(message, encoding);
    this.#known.set(message, encoded);
    return encoded;
  }
}
