import { HostError } from "../../core/errors.ts";
import type { ProviderConfig } from "./config.ts";
import type { Environment } from "./deadlines.ts";

/** Where a provider's key comes from. */
export interface KeySource {
  readonly config: Pick<ProviderConfig, "keyEnv" | "apiKey" | "authMode">;
  /** The variable that holds it when nothing else is said. */
  readonly defaultVariable?: string;
  /** A server without a key is an ordinary one. */
  readonly optional: boolean;
  /** Where the provider stands in the configuration, for messages. */
  readonly path: string;
}

/**
 * Finds a key: the variable that `key_env` names, else `api_key` beside it, else a default variable of the provider's
 * kind. A variable that is named and not set is an error: another key may not be meant for this endpoint.
 *
 * @throws HostError `provider_auth` naming the variable
 */
export function findKey(
  { config, defaultVariable, optional, path }: KeySource,
  env: Environment,
): string | undefined {
  if (config.keyEnv !== undefined) return valueOf(config.keyEnv, env) ?? missing(config.keyEnv);
  const key = config.apiKey ?? (defaultVariable === undefined ? undefined : valueOf(defaultVariable, env));
  if (key !== undefined || optional) return key;
  return missing(defaultVariable ?? `a variable that ${path}.key_env names`);
}

/**
 * @throws HostError `config_invalid` for a way of proving who one is that this version does not speak
 */
export function checkAuthMode({ config, path }: KeySource): void {
  if (config.authMode !== "identity_service") return;
  throw new HostError(
    "config_invalid",
    `${path}.auth_mode is identity_service, which this version does not speak yet. Set it to api_key and put a key into .env.`,
    { details: { subject: `${path}.auth_mode` } },
  );
}

/** What to do when an endpoint refuses the key. */
export function keyRemedy({ config, defaultVariable, path }: KeySource): string {
  if (config.keyEnv !== undefined) return `Check the key in ${config.keyEnv}.`;
  if (config.apiKey !== undefined) return `Check ${path}.api_key.`;
  return defaultVariable === undefined
    ? `It wants a key: put one into .env and name its variable in ${path}.key_env.`
    : `Check the key in ${defaultVariable}.`;
}

function valueOf(name: string, env: Environment): string | undefined {
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
