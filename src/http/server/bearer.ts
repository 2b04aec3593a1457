import { secretCheck } from "../../shared/crypto/secret-check.ts";

/** Says whether an `Authorization` header carries the key; takes equally long for every wrong one. */
export function bearerCheck(key: string): (header: string | undefined) => boolean {
  const isKey = secretCheck(key);
  return (header) => {
    const token = /^bearer +(.*)$/is.exec(header ?? "")?.[1];
    return token !== undefined && isKey(token.trim());
  };
}

/**
 * Tells what is wrong with a secret that stands in a header, as the end of a sentence that begins with its name;
 * `undefined` if it is good.
 */
export function secretFault(secret: string | undefined): string | undefined {
  const weakness = secretWeakness(secret);
  if (weakness !== undefined) return weakness;
  // oxlint-disable-next-line no-control-regex -- a header cannot carry them
  if (/[\u0000-\u001f\u007f]|[^\u0000-\u00ff]/.test(secret ?? ""))
    return "has characters that no header can carry";
  return undefined;
}

/** Tells why a secret could be guessed, as the end of a sentence; `undefined` if it could not. */
export function secretWeakness(secret: string | undefined): string | undefined {
  if (secret === undefined || secret.trim() === "") return "is not set";
  if (secret.trim().length < SHORTEST_SECRET)
    return `has ${secret.trim().length} characters; at least ${SHORTEST_SECRET} are needed`;
  if (PLACEHOLDER.test(secret) || REPEATED.test(secret)) return "is a placeholder";
  return undefined;
}

/** Characters, or bytes. */
export const SHORTEST_SECRET = 16;
const PLACEHOLDER = /changeme|change-me|change_me|your-|your_|placeholder|example|[<>]/i;
/** The same few characters again and again. */
const REPEATED = /^(.{1,8})\1+$/s;
