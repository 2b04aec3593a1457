import { argon2, type Argon2Parameters, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { secretCheck } from "../../shared/crypto/secret-check.ts";
import { isCommonPassword } from "./common-passwords.ts";

const derive = promisify<"argon2id", Argon2Parameters, Buffer>(argon2);

/** Characters; the interface's own limit. */
export const SHORTEST_PASSWORD = 10;
/** Characters; more would only be work for this process. */
export const LONGEST_PASSWORD = 200;

/** KiB, passes and lanes: 40 to 65 ms and 19 MiB for each look (OWASP's first recommendation). */
const COST = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
const SALT_BYTES = 16;
const FEWEST_SIGNS = 4;

/** Tells what is wrong with a new password, as a sentence; `undefined` when it is good. */
export function passwordFault(password: string): string | undefined {
  if (password.length < SHORTEST_PASSWORD)
    return `The password needs at least ${SHORTEST_PASSWORD} characters.`;
  if (password.length > LONGEST_PASSWORD)
    return `The password is longer than ${LONGEST_PASSWORD} characters.`;
  if (new Set(password.toLowerCase()).size < FEWEST_SIGNS)
    return "The password repeats the same few characters; choose another one.";
  if (isCommonPassword(password))
    return "The password is one of those that are tried first; choose another one.";
  return undefined;
}

/** Makes what is kept of a password: algorithm, cost, salt and hash. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(SALT_BYTES);
  const { memory, passes, parallelism } = COST;
  const hash = await hashOf(password, { nonce, ...COST });
  return ["argon2id", memory, passes, parallelism, nonce.toString("base64"), hash.toString("base64")].join(
    "$",
  );
}

/**
 * Says whether a password is the one that is kept.
 *
 * @param kept - of `hashPassword`; without one the answer is no and takes as long
 */
export async function isPassword(given: string, kept: string | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = "", hash = ""] = (kept ?? NOBODYS).split("$");
  const expected = Buffer.from(hash, "base64");
  const actual = await hashOf(given.slice(0, LONGEST_PASSWORD + 1), {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(salt, "base64"),
    tagLength: expected.length,
  });
  return secretCheck(expected.toString("base64"))(actual.toString("base64")) && kept !== undefined;
}

const NOBODYS = [
  "argon2id",
  COST.memory,
  COST.passes,
  COST.parallelism,
  "AAAAAAAAAAAAAAAAAAAAAA==",
  `${"A".repeat(43)}=`,
].join("$");

const hashOf = (password: string, cost: Omit<Argon2Parameters, "message">): Promise<Buffer> =>
  derive("argon2id", { ...cost, message: Buffer.from(password.normalize("NFC")) });
