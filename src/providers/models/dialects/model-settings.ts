import type { Clock } from "../../../shared/async/clock.ts";
import type { ModelFacts, ProviderKind } from "../config/models-config.ts";
import { type CredentialSource, type KeySettings, keyRemedy } from "../config/credentials.ts";
import type { ModelTimeouts } from "../config/timeouts.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import type { RateLimiters } from "../rate-limit/rate-limiters.ts";
import type { ImageFitter } from "../request/image-fitter.ts";
import type { ModelIdentity } from "../errors/model-identity.ts";
import type { HttpTransport } from "../endpoint/http-transport.ts";

/** All that is settled about one model of one provider before its first request. */
export interface ModelSettings extends Pick<ModelFacts, "maxOutputTokens" | "reasoning" | "fastTier"> {
  readonly provider: string;
  readonly kind: ProviderKind;
  readonly name: string;
  readonly endpoint: Endpoint;
  readonly key: KeySettings;
  readonly contextLength: number;
  readonly vision: boolean;
  readonly stream: boolean;
}

/** What the models of all dialects stand on. */
export interface ModelServices {
  readonly clock: Clock;
  readonly transport: HttpTransport;
  readonly timeouts: ModelTimeouts;
  readonly credentials: CredentialSource;
  /** Gives each call its turn. */
  readonly rateLimiters: RateLimiters;
  /** Makes images smaller that are too large. */
  readonly images?: ImageFitter;
  /** Ids for calls that come without one. */
  readonly newId: () => string;
}

/** A model as its own opaque items name it: another provider's model of the same name cannot read them. */
export const readerOf = ({ provider, name }: Pick<ModelSettings, "provider" | "name">): string =>
  `${provider}:${name}`;

/** The endpoint and its model as messages name them. */
export function identityOf(
  { provider, name, endpoint, key }: ModelSettings,
  secret: string | undefined,
): ModelIdentity {
  const query = Object.entries(endpoint.query).filter(([field]) => field !== "api-version");
  return {
    provider,
    model: name,
    host: endpoint.host,
    keyRemedy: keyRemedy(key),
    secrets: [secret ?? "", ...query.map(([, value]) => value)],
  };
}
