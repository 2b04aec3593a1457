import type { ProviderKind } from "../config/models-config.ts";
import type { Proof } from "../config/credentials.ts";

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
export function authorizationOf(proof: Proof | undefined, { messages, kind, cloud }: KeyManner): Headers {
  if (proof === undefined) return {};
  const bearer = { authorization: `Bearer ${proof.value}` };
  if (proof.kind === "token") return bearer;
  if (messages) {
    return cloud && kind !== "messages" ? bearer : { "x-api-key": proof.value };
  }
  // Older paths of the cloud service know only `api-key`.
  return cloud ? { ...bearer, "api-key": proof.value } : bearer;
}
