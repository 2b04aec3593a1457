import type { ModelMessage, ModelRequest } from "../../../core/index.ts";
import type { ImageFitter } from "../../../shared/content/image-fitter.ts";
import type { Dialect, EncodedMessage, OptionalFeature } from "../dialects/dialect.ts";
import { type ModelSettings, readerOf } from "../dialects/model-settings.ts";
import type { EncodingContext } from "./content-encoding.ts";
import { ConversationBytes } from "./conversation-bytes.ts";
import { encodeImages, imagesIn, imagesWithRoom, notesForImages } from "./images.ts";
import { RepeatedText } from "./repeated-text.ts";

/** Whether images are part of a request, and who is told that one is. */
interface ImageUse {
  /** `false`: notes are in their place. */
  readonly withImages: boolean;
  sent(): void;
}

/** The circumstances of one attempt at a request. */
interface Attempt {
  readonly images: ImageUse;
  /** The features that the endpoint refused before. */
  readonly without: ReadonlySet<OptionalFeature>;
}

/** A request's body: bytes that follow each other. They are shared with other requests. */
export type Body = readonly Uint8Array[];

type EncodingDialect = Pick<Dialect, "encode" | "frame">;

/**
 * Encoder of the bodies of one model's requests. It encodes each message once: the body of a request is that of the
 * session's last one, with what is new at its end. Messages with images are encoded each time, so that no session holds
 * pictures in memory.
 */
export class BodyEncoder {
  readonly #dialect: EncodingDialect;
  readonly #settings: ModelSettings;
  readonly #fitter: ImageFitter | undefined;
  /** Conversations by their first message: with it, what was kept of a conversation goes. */
  #known = new WeakMap<ModelMessage, ConversationBytes>();
  readonly #head = new RepeatedText();
  readonly #tail = new RepeatedText();
  readonly #thinking = new WeakSet<ModelMessage>();
  /** Replies whose opaque items this model refused to take back. */
  readonly #refused = new WeakSet<ModelMessage>();

  constructor(dialect: EncodingDialect, settings: ModelSettings, fitter?: ImageFitter) {
    this.#dialect = dialect;
    this.#settings = settings;
    this.#fitter = fitter;
  }

  async encode(request: ModelRequest, { images, without }: Attempt): Promise<Body> {
    const pictured = await this.#encodePictured(request, images);
    // Nothing is awaited from here on: requests of one conversation may be encoded at the same time.
    const bytes = this.#grow(request.messages, pictured);
    const { head, tail, marks } = this.#dialect.frame({
      request,
      settings: this.#settings,
      without,
      thinks: (message) => this.#thinking.has(message),
    });
    const inserts = new Map(pictured);
    for (const [place, mark] of marks ?? []) inserts.set(place, (inserts.get(place) ?? "") + mark);
    return [
      this.#head.bytes(head),
      ...bytes.pieces(
        request.messages.length,
        [...inserts].sort(([a], [b]) => a - b),
      ),
      this.#tail.bytes(tail),
    ];
  }

  /** Leaves opaque items out of these messages from now on. `false` when they had none for this model. */
  leaveItemsOut(messages: readonly ModelMessage[]): boolean {
    const reader = readerOf(this.#settings);
    const carriers = messages.filter(
      (message) =>
        message.role === "assistant" && message.items?.model === reader && !this.#refused.has(message),
    );
    for (const message of carriers) this.#refused.add(message);
    if (carriers.length > 0) this.#known = new WeakMap();
    return carriers.length > 0;
  }

  /** The texts of messages with images, by their places. */
  async #encodePictured(request: ModelRequest, use: ImageUse): Promise<ReadonlyMap<number, string>> {
    const { messages } = request;
    const places = this.#pictured(messages);
    const texts = new Map<number, string>();
    const chosen = imagesWithRoom(places.flatMap((place) => messages[place] ?? []));
    for (const place of places) {
      const message = messages[place];
      if (message === undefined) continue;
      const images = imagesIn(message);
      const image = use.withImages
        ? await encodeImages(images, {
            loadBlob: (blob) => request.loadBlob(blob),
            fitter: this.#fitter,
            chosen,
          })
        : notesForImages(this.#settings.name);
      if (images.some((each) => !("note" in image(each)))) use.sent();
      texts.set(place, this.#encode(message, messages[place - 1], image).text);
    }
    return texts;
  }

  /** The places of messages with images; messages that are known are not looked at again. */
  #pictured(messages: readonly ModelMessage[]): readonly number[] {
    const known = this.#bytesOf(messages);
    const common = known.common(messages);
    const places = [...known.unkept(common)];
    for (let place = common; place < messages.length; place += 1) {
      const message = messages[place];
      if (message !== undefined && imagesIn(message).length > 0) places.push(place);
    }
    return places;
  }

  #bytesOf([first]: readonly ModelMessage[]): ConversationBytes {
    return (first && this.#known.get(first)) ?? new ConversationBytes();
  }

  /** Adds what is new of a conversation. One whose past changed goes on from where it is the same. */
  #grow(messages: readonly ModelMessage[], pictured: ReadonlyMap<number, string>): ConversationBytes {
    const known = this.#bytesOf(messages);
    const common = known.common(messages);
    if (common === messages.length) return known;
    const bytes = common === known.length ? known : known.first(common);
    for (const [offset, message] of messages.slice(common).entries()) {
      const place = common + offset;
      const text = pictured.has(place) ? undefined : this.#encode(message, messages[place - 1]).text;
      bytes.add(message, text);
    }
    const [first] = messages;
    if (first !== undefined) this.#known.set(first, bytes);
    return bytes;
  }

  #encode(
    message: ModelMessage,
    before: ModelMessage | undefined,
    image: EncodingContext["image"] = notesForImages(this.#settings.name),
  ): EncodedMessage {
    const reader = this.#refused.has(message) ? undefined : readerOf(this.#settings);
    const encoded = this.#dialect.encode(message, { reader, image }, before);
    if (encoded.thinks === true) this.#thinking.add(message);
    else this.#thinking.delete(message);
    return encoded;
  }
}
