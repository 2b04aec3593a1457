import type { ModelMessage, ModelRequest } from "../../../core/index.ts";
import type { ListedModel } from "../catalog/model-list.ts";
import { bearer, type Credential, type Headers } from "../endpoint/credential.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { JsonAnswer, JsonQuestion } from "../endpoint/json-request.ts";
import type { ReplyContext, ReplyDecoder } from "../reply/reply-decoder.ts";
import type { EncodingContext } from "../request/content-encoding.ts";
import type { ModelSettings } from "./model-settings.ts";
import type { ProviderKindInfo } from "./provider-kind.ts";

/**
 * A part of a request that an endpoint may refuse and the reply can do without: `items` are the opaque items of
 * earlier replies, `thinking` asks for reasoning, `summary` for readable reasoning, `encrypted` for opaque items.
 */
export type OptionalFeature = "items" | "thinking" | "summary" | "encrypted";

/** A message in a dialect. */
export interface EncodedMessage {
  /** Its part of the body. With the texts of the messages before it, it is the beginning of a list of messages. */
  readonly text: string;
  /** It has thinking that its model takes back. */
  readonly thinks?: boolean;
}

/** The circumstances of one request, from which the rest of its body follows. */
export interface FrameParts {
  readonly request: ModelRequest;
  readonly settings: ModelSettings;
  /** The features that the endpoint refused before. */
  readonly without: ReadonlySet<OptionalFeature>;
  /** Says of a message of the request whether it was encoded with thinking. */
  readonly thinks: (message: ModelMessage) => boolean;
}

/** The body of a request around the texts of its messages. */
export interface BodyFrame {
  /** The parts of the text before the messages, and of the text after them. */
  readonly head: readonly string[];
  readonly tail: readonly string[];
  /** Texts right behind some of the messages, by the places of these; they change from one request to the next. */
  readonly marks?: ReadonlyMap<number, string>;
}

/** A way to ask an address which dialect it speaks. */
export interface EndpointProbe {
  readonly credential: Credential | undefined;
  /** Asks one question. Gives `undefined` when no JSON answers it in time. */
  ask(question: JsonQuestion): Promise<JsonAnswer | undefined>;
}

/** The findings about an address that speaks a dialect. */
export interface DetectedDialect {
  /** The endpoint as its requests address it, with a query that detection found to be needed. */
  readonly endpoint: Endpoint;
  /** The models that it lists; a deployment may have a name that is not among them. */
  readonly models: readonly ListedModel[];
  /** The evidence: a list of models, or an answer in the dialect's shape. */
  readonly by: "models" | "answer";
}

/**
 * A dialect: the one descriptor of a language that model endpoints speak. The configuration, setup, detection and the
 * list of models derive from it; everything else about a call is the same for all dialects.
 */
export interface Dialect {
  /** Its name in the configuration (`api_mode`). */
  readonly id: string;
  /** Its name in setup's questions and findings. */
  readonly label: string;
  /** The kinds of provider that speak it by default, by their names in the configuration. */
  readonly providers: Readonly<Record<string, ProviderKindInfo>>;
  /** Path of its requests below the base address. */
  readonly path: string;
  /** Segments in the path of an address that say which dialect is spoken there. */
  readonly pathMarkers?: readonly string[];
  readonly modelList: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Headers;
  };
  /** A request may name a `service_tier`. */
  readonly hasServiceTiers: boolean;
  /** The words with which endpoints refuse optional features. */
  readonly refusals: Readonly<Partial<Record<OptionalFeature, RegExp>>>;
  /** Gives a configured endpoint as this dialect addresses it. */
  address(endpoint: Endpoint): Endpoint;
  /** Gives the headers that carry a key; a token is a bearer token in every dialect. */
  keyHeaders(key: string, settings: Pick<ModelSettings, "kind" | "endpoint">): Headers;
  detect?(endpoint: Endpoint, probe: EndpointProbe): Promise<DetectedDialect | undefined>;
  /** Gives the headers that this dialect adds to every request. */
  headers(settings: ModelSettings): Headers;
  /**
   * Encodes a message, once for all requests that it is part of.
   *
   * @param before - the message before it; absent: it is the first
   */
  encode(message: ModelMessage, context: EncodingContext, before?: ModelMessage): EncodedMessage;
  /** Gives what stands around the messages: with them, the body is JSON. */
  frame(parts: FrameParts): BodyFrame;
  reply(context: ReplyContext): ReplyDecoder;
}

/** Gives the headers that carry a credential to an endpoint. */
export function credentialHeaders(
  dialect: Pick<Dialect, "keyHeaders">,
  credential: Credential | undefined,
  settings: Pick<ModelSettings, "kind" | "endpoint">,
): Headers {
  if (credential === undefined) return {};
  return credential.kind === "token"
    ? bearer(credential.value)
    : dialect.keyHeaders(credential.value, settings);
}

/** A key in all the headers that endpoints read one from; a token has one header only. */
export function probeHeaders(credential: Credential | undefined): Headers {
  if (credential === undefined) return {};
  const headers = bearer(credential.value);
  return credential.kind === "token" ? headers : { ...headers, "api-key": credential.value };
}
