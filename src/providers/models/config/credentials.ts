import { HostError } from "../../../shared/errors/host-error.ts";
import type { ProviderConfig } from "./models-config.ts";
import type { EnvironmentVariables } from "./timeouts.ts";

/** Where a provider's key comes from. */
export interface KeySettings {
  readonly config: Pick<ProviderConfig, "keyEnv" | "apiKey" | "authMode">;
  /** The variables that hold it when nothing else is said; the first one that is set counts. */
  readonly defaultVariables: readonly string[];
  /** A server without a key is an ordinary one. */
  readonly optional: boolean;
  /** Where the provider stands in the configuration, for messages. */
  readonly path: string;
}

/** What proves to an endpoint who asks: a key that its owner holds, or a token that was made for this moment. */
export interface Credential {
  readonly kind: "key" | "token";
  readonly value: string;
}

/**
 * Asked before each request. `undefined` where none is needed.
 *
 * @throws HostError `provider_auth`
 */
export type CredentialSource = (signal: AbortSignal) => Promise<Credential | undefined>;

/**
 * Finds a key: the variable that `key_env` names, else `api_key` beside it, else a default variable of the provider's
 * kind. A variable that is named and not set is an error: another key may not be meant for this endpoint.
 *
 * @throws HostError `provider_auth` naming the variable
 */
export function findKey(
  { config, defaultVariables, optional, path }: KeySettings,
  env: EnvironmentVariables,
): string | undefined {
  if (config.keyEnv !== undefined) return valueOf(config.keyEnv, env) ?? missing(config.keyEnv);
  const defaults = defaultVariables.map((name) => valueOf(name, env));
  const key = config.apiKey ?? defaults.find((value) => value !== undefined);
  if (key !== undefined || optional) return key;
  return missing(defaultVariables[0] ?? `a variable that ${path}.key_env names`);
}

/** The credential of a provider that is asked with a key. */
export function keyCredentials(source: KeySettings, env: EnvironmentVariables): CredentialSource {
  return async () => {
    const value = findKey(source, env);
    return value === undefined ? undefined : { kind: "key", value };
  };
}

/** What to do when an endpoint refuses the key, or the token in its place. */
export function keyRemedy({ config, defaultVariables, path }: KeySettings): string {
  if (config.authMode === "identity_service")
    return `The identity needs a role on the resource, which takes up to about 5 minutes to take effect; ${path}.identity.scope must be the scope of the resource, or be left out. \`agent doctor\` shows both.`;
  if (config.keyEnv !== undefined) return `Check the key in ${config.keyEnv}.`;
  if (config.apiKey !== undefined) return `Check ${path}.api_key.`;
  const [variable] = defaultVariables;
  return variable === undefined
    ? `It wants a key: put one into .env and name its variable in ${path}.key_env.`
    : `Check the key in ${defaultVariables.join(" or ")}.`;
}

function valueOf(name: string, env: EnvironmentVariables): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

function missing(name: string): never {
  throw new HostError(
    "provider_auth",
    `There is no key: ${name} is not set. Set it in the environment or in .env.`,
    {
      details: { subject: name },
    },
  );
}
