import type { Clock } from "../../../shared/async/clock.ts";
import type { ListedModel } from "../catalog/model-list.ts";
import { markedDialect } from "../dialects/choose-dialect.ts";
import { type ApiMode, DIALECTS } from "../dialects/registry.ts";
import type { EnvironmentVariables } from "../config/environment.ts";
import { parseEndpoint } from "../config/parse-endpoint.ts";
import type { Credential } from "../endpoint/credential.ts";
import { type Endpoint, requestUrl } from "../endpoint/endpoint.ts";
import type { EndpointProbe } from "../dialects/dialect.ts";
import { openHttpTransport } from "../endpoint/http-transport.ts";
import { askJson } from "../endpoint/json-request.ts";

/** The findings about an address. */
export interface DetectedEndpoint {
  readonly apiMode: ApiMode;
  /** As `model.base_url` takes it. */
  readonly baseUrl: string;
  /** The models that it lists; a deployment may have a name that is not among them. */
  readonly models: readonly ListedModel[];
  /** The evidence: a segment of the path, a list of models, or an answer in the dialect's shape. */
  readonly by: "path" | "models" | "answer";
}

/** The address to examine, and the means to do so. */
export interface DetectOptions {
  readonly address: string;
  readonly credential: Credential | undefined;
  readonly env: EnvironmentVariables;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Finds out which dialect an address speaks: by its path, then by asking for each dialect in turn. `undefined`: the
 * owner has to say. Each request has 6 s; a request that fails says nothing.
 *
 * @throws HostError `config_invalid` for an address that is none
 */
export async function detectEndpoint(options: DetectOptions): Promise<DetectedEndpoint | undefined> {
  const endpoint = parseEndpoint(options.address, "The address");
  const marked = markedDialect(endpoint.baseUrl);
  if (marked !== undefined) return { apiMode: marked, baseUrl: addressOf(endpoint), models: [], by: "path" };
  await using transport = openHttpTransport(options.env);
  const { credential, clock, signal } = options;
  const probe: EndpointProbe = {
    credential,
    ask: (question) => askJson(question, { transport, clock, signal }),
  };
  for (const dialect of DIALECTS) {
    const found = await dialect.detect?.(endpoint, probe);
    if (found !== undefined)
      return { apiMode: dialect.id, baseUrl: addressOf(found.endpoint), models: found.models, by: found.by };
  }
  return undefined;
}

const addressOf = (endpoint: Endpoint): string => requestUrl(endpoint, "");
