import { HostError } from "../../../shared/errors/host-error.ts";
import { OR_SETUP } from "./advice.ts";
import type { CredentialSource } from "../endpoint/credential.ts";
import type { IdentityService } from "../identity/identity-service.ts";
import type { ProviderConfig } from "./models-config.ts";
import { type EnvironmentVariables, valueOf } from "./environment.ts";

/** The settings that say where a provider's key comes from. */
export interface KeySettings {
  readonly config: Pick<ProviderConfig, "keyEnv" | "apiKey" | "authMode" | "identityScope">;
  /** The variables that hold it when nothing else is said; the first one that is set counts. */
  readonly defaultVariables: readonly string[];
  /** Variables of the same kind of provider whose keys are for another host, which is their value. */
  readonly foreignVariables: ReadonlyMap<string, string>;
  /** The host that the key is for, for messages. */
  readonly host: string;
  /** The provider may have no key. */
  readonly optional: boolean;
  /** The provider's place in the configuration, for messages. */
  readonly path: string;
}

/** The sources of keys and tokens in this process. */
export interface CredentialServices {
  readonly env: EnvironmentVariables;
  readonly identity: IdentityService;
}

/** Gives the credentials of a provider: a token in keyless mode, whatever keys there are, else a key. */
export function credentialsOf(key: KeySettings, { env, identity }: CredentialServices): CredentialSource {
  if (isKeyless(key)) return identity.credentials(key.config.identityScope);
  return async () => {
    const value = findKey(key, env);
    return value === undefined ? undefined : { kind: "key", value };
  };
}

/** Tells whether the provider takes an identity in place of a key. */
export const isKeyless = ({ config }: Pick<KeySettings, "config">): boolean =>
  config.authMode === "identity_service";

/**
 * Finds a key: the variable that `key_env` names, else `api_key` beside it, else a default variable of the provider's
 * kind. A named variable that is not set is an error: another key may not be meant for this endpoint.
 *
 * @throws HostError `provider_auth` naming the variable
 */
export function findKey(
  { config, defaultVariables, foreignVariables, host, optional, path }: KeySettings,
  env: EnvironmentVariables,
): string | undefined {
  if (config.keyEnv !== undefined) return valueOf(env, config.keyEnv) ?? missing(config.keyEnv);
  const defaults = defaultVariables.map((name) => valueOf(env, name));
  const key = config.apiKey ?? defaults.find((value) => value !== undefined);
  if (key !== undefined || optional) return key;
  for (const [name, service] of foreignVariables)
    if (valueOf(env, name) !== undefined) throw foreignKey(name, { service, host, path });
  return missing(defaultVariables[0] ?? `a variable that ${path}.key_env names`);
}

/** The next step when an endpoint refuses the key, or the token in its place. */
export function keyRemedy(key: Pick<KeySettings, "config" | "defaultVariables" | "path">): string {
  const { config, defaultVariables, path } = key;
  if (isKeyless({ config }))
    return `The identity needs a role on the resource, which takes up to about 5 minutes to take effect; ${path}.identity.scope must be the scope of the resource, or be left out. \`agent doctor\` shows both.`;
  if (config.keyEnv !== undefined) return `Check the key in ${config.keyEnv}.`;
  if (config.apiKey !== undefined) return `Check ${path}.api_key.`;
  const [variable] = defaultVariables;
  return variable === undefined
    ? `It wants a key: put one into .env and name its variable in ${path}.key_env.`
    : `Check the key in ${defaultVariables.join(" or ")}.`;
}

function foreignKey(
  name: string,
  { service, host, path }: { readonly service: string; readonly host: string; readonly path: string },
): HostError {
  const message = `There is no key for ${host}: the one in ${name} is for ${service}, and was not sent. Put a key for ${host} into .env and name its variable in ${path}.key_env${OR_SETUP}`;
  return new HostError("provider_auth", message, { details: { subject: name } });
}

function missing(name: string): never {
  const message = `There is no key: ${name} is not set. Set it in the environment or in .env${OR_SETUP}`;
  throw new HostError("provider_auth", message, { details: { subject: name } });
}
