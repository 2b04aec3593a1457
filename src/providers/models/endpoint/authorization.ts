import type { ProviderKind } from "../config/models-config.ts";
import type { Credential } from "../config/credentials.ts";

type Headers = Readonly<Record<string, string>>;

/** Which headers carry a key; a token is always carried by `Authorization`. */
export interface KeyManner {
  /** The messages dialect is spoken. */
  readonly messages: boolean;
  readonly kind: ProviderKind;
  /** The endpoint is a host of the cloud service. */
  readonly cloud: boolean;
}

/** The headers that prove who asks. */
export function authorizationOf(
  credential: Credential | undefined,
  { messages, kind, cloud }: KeyManner,
): Headers {
  if (credential === undefined) return {};
  const bearer = { authorization: `Bearer ${credential.value}` };
  if (credential.kind === "token") return bearer;
  if (messages) {
    return cloud && kind !== "messages" ? bearer : { "x-api-key": credential.value };
  }
  // Older paths of the cloud service know only `api-key`.
  return cloud ? { ...bearer, "api-key": credential.value } : bearer;
}
