import { type Credential, keyCredential } from "./credentials.ts";
import type { Environment } from "./deadlines.ts";
import type { IdentityService } from "./identity/identity-service.ts";
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
