import type { ImagePart, ModelMessage, ModelRequest } from "../../../core/index.ts";
import type { ReplyDecoder } from "../stream/model-call.ts";
import type { ModelSettings } from "./model-settings.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";

/** An image as a request carries it, or the words that stand for one that it does not carry. */
export type EncodedImage =
  | { readonly mediaType: string; readonly base64: string }
  | { readonly note: string };

/** What the encoding of a message depends on beside the message. */
export interface EncodingContext {
  /** Who reads it. What only the maker of a reply can read goes back to that one; `undefined`: to nobody. */
  readonly reader: string | undefined;
  readonly image: (image: ImagePart) => EncodedImage;
}

/** Who answers a call, and how what it leaves open is filled in. */
export interface ReplyContext {
  readonly identity: ModelIdentity;
  /** As `Encoding` has it: the mark on what only this model can read. */
  readonly reader: string;
  /** Ids for calls that come without one. */
  readonly newId: () => string;
}

/**
 * What a request holds that an endpoint may refuse and the reply can do without: `items` are the opaque items of
 * earlier replies, `thinking` is the wish for it, `summary` that for readable reasoning, `encrypted` that for opaque
 * items.
 */
export type OptionalFeature = "items" | "thinking" | "summary" | "encrypted";

/** What a request's body is made of. */
export interface RequestParts<Encoded> {
  readonly request: ModelRequest;
  readonly messages: readonly Encoded[];
  readonly settings: ModelSettings;
  /** What the endpoint refused before. */
  readonly without: ReadonlySet<OptionalFeature>;
}

/**
 * A language that endpoints speak: requests are made and replies are read by it, everything else about a call is the
 * same for all.
 *
 * @typeParam Encoded - a message in this dialect, made once for all requests that it is part of
 */
export interface Dialect<Encoded> {
  /** Path of its requests below the base address. */
  readonly path: string;
  /** How an endpoint says that it refuses an extra. */
  readonly refusals: Readonly<Partial<Record<OptionalFeature, RegExp>>>;
  /** Headers beside those of all dialects. */
  headers(settings: ModelSettings): Readonly<Record<string, string>>;
  encode(message: ModelMessage, encoding: EncodingContext): Encoded;
  /** The body as JSON text. */
  body(parts: RequestParts<Encoded>): string;
  reply(context: ReplyContext): ReplyDecoder;
}
