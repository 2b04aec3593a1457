import { type Credential, findKey, keyCredential } from "./credentials.ts";
import type { Environment } from "./timeouts.ts";
import type { IdentityService } from "../identity/identity-service.ts";
import type { Provider } from "./providers.ts";

/** Who can prove things to endpoints in this process. */
export interface Provers {
  readonly env: Environment;
  readonly identity: IdentityService;
}

/** What proves to a provider's endpoint who asks: a token in keyless mode, whatever keys there are, else a key. */
export function credentialOf({ config, key }: Provider, { env, identity }: Provers): Credential {
  return config.authMode === "identity_service"
    ? identity.credential(config.identityScope)
    : keyCredential(key, env);
}

/** Whether there is a key where one is needed; a token is made only when it is needed. @throws HostError `provider_auth` */
export function checkCredential({ config, key, kind }: Provider, env: Environment): void {
  if (kind !== "demo" && config.authMode !== "identity_service") findKey(key, env);
}
