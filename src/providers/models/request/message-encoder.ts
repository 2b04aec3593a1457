import type { ImagePart, ModelMessage, ModelRequest } from "../../../core/index.ts";
import type { Dialect } from "../dialects/dialect.ts";
import { type ModelSettings, readerOf } from "../dialects/model-settings.ts";
import type { ImageFitter } from "../../../shared/content/image-fitter.ts";
import { imagesIn, imagesWithRoom, encodeImages, notesForImages } from "./images.ts";

/** Whether images are part of a request, or notes in their place, and who is told that one is. */
interface ImageUse {
  readonly withImages: boolean;
  sent(): void;
}

interface EncodingRequest {
  readonly request: ModelRequest;
  readonly chosen: ReadonlySet<ImagePart>;
  readonly images: ImageUse;
}

/**
 * Encoder of the messages of requests. It encodes each message object once: a conversation grows at its end. Messages
 * with images are encoded each time, so that no session holds pictures in memory.
 */
export class MessageEncoder {
  readonly #dialect: Pick<Dialect, "encode">;
  readonly #settings: Pick<ModelSettings, "provider" | "name">;
  readonly #fitter: ImageFitter | undefined;
  readonly #known = new WeakMap<ModelMessage, unknown>();
  /** Replies whose opaque items this model refused to take back. */
  readonly #refused = new WeakSet<ModelMessage>();

  constructor(
    dialect: Pick<Dialect, "encode">,
    settings: Pick<ModelSettings, "provider" | "name">,
    fitter?: ImageFitter,
  ) {
    this.#dialect = dialect;
    this.#fitter = fitter;
    this.#settings = settings;
  }

  async encode(request: ModelRequest, images: ImageUse): Promise<readonly unknown[]> {
    const all: unknown[] = [];
    const fresh = request.messages.filter((message) => !this.#known.has(message));
    const chosen = imagesWithRoom(fresh);
    for (const message of request.messages)
      all.push(this.#known.get(message) ?? (await this.#encodeNew(message, { request, chosen, images })));
    return all;
  }

  /** Leaves opaque items out of these messages from now on. `false` when they had none for this model. */
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
    { request, chosen, images: use }: EncodingRequest,
  ): Promise<unknown> {
    const { name } = this.#settings;
    const reader = this.#refused.has(message) ? undefined : readerOf(this.#settings);
    const images = imagesIn(message);
    if (images.length > 0 && use.withImages) {
      const image = await encodeImages(images, {
        loadBlob: (blob) => request.loadBlob(blob),
        fitter: this.#fitter,
        chosen,
      });
      if (images.some((each) => !("note" in image(each)))) use.sent();
      return this.#dialect.encode(message, { reader, image });
    }
    const encoded = this.#dialect.encode(message, { reader, image: notesForImages(name) });
    // Whether a model sees may turn out later.
    if (images.length === 0) this.#known.set(message, encoded);
    return encoded;
  }
}
