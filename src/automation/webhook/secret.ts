import { SHORTEST_SECRET, secretWeakness } from "../../http/server/bearer.ts";
import { ENCODED, NO_AUTH, signingKey } from "./authentication.ts";

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Tells what is wrong with a secret of the connector or of a route, as the end of a sentence that begins with its name;
 * `undefined` if it is good.
 */
export function webhookSecretFault(secret: string): string | undefined {
  if (secret === NO_AUTH) return undefined;
  return secretWeakness(secret) ?? (secret.startsWith(ENCODED) ? encodedFault(secret) : undefined);
}

/** The bytes behind `whsec_` are the key of some proofs. */
function encodedFault(secret: string): string | undefined {
  if (!BASE64.test(secret.slice(ENCODED.length)))
    return `begins with ${ENCODED}, but what follows is no base64. Write base64 of ${SHORTEST_SECRET} or more random bytes behind it, or leave ${ENCODED} out`;
  const key = signingKey(secret);
  if (key.length < SHORTEST_SECRET)
    return `has ${key.length} bytes in base64 behind ${ENCODED}; at least ${SHORTEST_SECRET} are needed`;
  return new Set(key).size === 1 ? "is a placeholder" : undefined;
}
