import { createHash, timingSafeEqual } from "node:crypto";

type Given = string | Uint8Array;

const digest = (given: Given): Buffer => createHash("sha256").update(given).digest();

/** Says whether a text, or its bytes in UTF-8, is the secret; takes equally long for every wrong one. */
export function secretCheck(secret: string): (given: Given) => boolean {
  const expected = digest(secret);
  return (given) => timingSafeEqual(digest(given), expected);
}
