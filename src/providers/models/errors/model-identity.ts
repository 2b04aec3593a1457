import type { Endpoint } from "../endpoint/endpoint.ts";

/** The names of a model and its endpoint for error messages, and what those must not repeat. */
export interface ModelIdentity {
  readonly provider: string;
  readonly model: string;
  /** Host and port. */
  readonly host: string;
  /** The next step when the endpoint refuses the key. */
  readonly keyRemedy: string;
  /** Texts that no message may repeat, should the endpoint do it. */
  readonly secrets: readonly string[];
}

/** Makes the identity of a model for one request with a secret. */
export function identityOf(
  settings: Pick<ModelIdentity, "provider" | "keyRemedy"> & {
    readonly name: string;
    readonly endpoint: Endpoint;
  },
  secret: string | undefined,
): ModelIdentity {
  const { provider, name, endpoint, keyRemedy } = settings;
  const query = Object.entries(endpoint.query).filter(([field]) => field !== "api-version");
  const secrets = [secret ?? "", ...query.map(([, value]) => value)];
  return { provider, model: name, host: endpoint.host, keyRemedy, secrets };
}
