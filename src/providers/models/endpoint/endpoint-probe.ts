import { bearer, type Credential, type Headers } from "./credential.ts";
import type { JsonAnswer, JsonQuestion } from "./json-request.ts";

/** A way to ask an address which dialect it speaks. */
export interface EndpointProbe {
  readonly credential: Credential | undefined;
  /** Asks one question. Gives `undefined` when no JSON answers it in time. */
  ask(question: JsonQuestion): Promise<JsonAnswer | undefined>;
}

/** A key in all the headers that endpoints read one from; a token has one header only. */
export function probeHeaders(credential: Credential | undefined): Headers {
  if (credential === undefined) return {};
  const headers = bearer(credential.value);
  return credential.kind === "token" ? headers : { ...headers, "api-key": credential.value };
}
