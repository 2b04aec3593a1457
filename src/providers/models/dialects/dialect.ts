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

/** The parts of one request's body. */
export interface RequestParts<Encoded> {
  readonly request: ModelRequest;
  readonly messages: readonly Encoded[];
  readonly settings: ModelSettings;
  /** The features that the endpoint refused before. */
  readonly without: ReadonlySet<OptionalFeature>;
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
 *
 * @typeParam Encoded - a message in this dialect, made once for all requests that it is part of
 */
export interface Dialect<Encoded = unknown> {
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
  encode(message: ModelMessage, context: EncodingContext): Encoded;
  /** Gives the body as JSON text. */
  body(parts: RequestParts<Encoded>): string;
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
