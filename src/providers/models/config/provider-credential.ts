import { type CredentialSource, findKey, keyCredentials } from "./credentials.ts";
import type { EnvironmentVariables } from "./timeouts.ts";
import type { IdentityService } from "../identity/identity-service.ts";
import type { Provider } from "./providers.ts";

/** Who can prove things to endpoints in this process. */
export interface CredentialServices {
  readonly env: EnvironmentVariables;
  readonly identity: IdentityService;
}

/** What proves to a provider's endpoint who asks: a token in keyless mode, whatever keys there are, else a key. */
export function credentialsOf(
  { config, key }: Provider,
  { env, identity }: CredentialServices,
): CredentialSource {
  return config.authMode === "identity_service"
    ? identity.credentials(config.identityScope)
    : keyCredentials(key, env);
}

/** Whether there is a key where one is needed; a token is made only when it is needed. @throws HostError `provider_auth` */
export function checkCredential({ config, key, kind }: Provider, env: EnvironmentVariables): void {
  if (kind !== "demo" && config.authMode !== "identity_service") findKey(key, env);
}
