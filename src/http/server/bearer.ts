import { secretCheck } from "../../shared/crypto/secret-check.ts";

/** Says whether an `Authorization` header carries the key; takes equally long for every wrong one. */
export function bearerCheck(key: string): (header: string | undefined) => boolean {
  const isKey = secretCheck(key);
  return (header) => {
    const token = /^bearer +(.*)$/is.exec(header ?? "")?.[1];
    return token !== undefined && isKey(token.trim());
  };
}

const SHORTEST_KEY = 16;
const PLACEHOLDER = /changeme|change-me|your-|your_|placeholder|example|[<>]/i;

/** Tells what is wrong with a secret, as the end of a sentence that begins with its name; `undefined` if it is good. */
export function secretFault(secret: string | undefined): string | undefined {
  if (secret === undefined || secret.trim() === "") return "is not set";
  if (secret.length < SHORTEST_KEY)
    return `has ${secret.length} characters; at least ${SHORTEST_KEY} are needed`;
  if (PLACEHOLDER.test(secret) || /^(.)\1*$/s.test(secret)) return "is a placeholder";
  // oxlint-disable-next-line no-control-regex -- a header cannot carry them
  if (/[\u0000-\u001f\u007f]|[^\u0000-\u00ff]/.test(secret)) return "has characters that no header can carry";
  return undefined;
}
