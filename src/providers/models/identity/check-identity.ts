import type { Clock } from "../../../shared/async/clock.ts";
import { toHostError } from "../../../shared/errors/host-error.ts";
import { valueOf } from "../config/environment.ts";
import { DEFAULT_SCOPE, IdentityService } from "./identity-service.ts";
import type { IdentityEnvironment } from "./sources.ts";

/** The findings of one look at the credential chain. */
export interface IdentityReport {
  readonly ok: boolean;
  readonly scope: string;
  /** Names of the variables that are set and matter to the chain; never their values. */
  readonly variables: readonly string[];
  readonly source?: string;
  /** Unix milliseconds. */
  readonly expiresAt?: number;
  readonly error?: string;
}

/** The longest time of a look at the chain. */
const PROBE_MS = 10_000;

const VARIABLES = [
  "AZURE_TENANT_ID",
  "AZURE_CLIENT_ID",
  "AZURE_CLIENT_SECRET",
  "AZURE_CLIENT_CERTIFICATE_PATH",
  "AZURE_FEDERATED_TOKEN_FILE",
  "AZURE_AUTHORITY_HOST",
  "IDENTITY_ENDPOINT",
  "MSI_ENDPOINT",
];

/** Asks the credential chain for one token, within 10 s. Never rejects. */
export async function checkIdentity({
  scope = DEFAULT_SCOPE,
  clock,
  signal,
  ...environment
}: IdentityEnvironment & {
  readonly scope?: string | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}): Promise<IdentityReport> {
  const variables = VARIABLES.filter((name) => valueOf(environment.env, name) !== undefined);
  try {
    const service = new IdentityService(environment, clock);
    const { source, expiresAt } = await service.token(scope, { signal, timeoutMs: PROBE_MS });
    return { ok: true, scope, variables, source, expiresAt };
  } catch (thrown) {
    return { ok: false, scope, variables, error: toHostError(thrown).message };
  }
}
