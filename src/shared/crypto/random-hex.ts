import { randomBytes } from "./random-bytes.ts";

/** Random source, injected so that tests can repeat a run. */
export type RandomHex = (bytes: number) => string;

const POOL_BYTES = 4096;
let pool = "";
let used = 0;

/** From a pool: asking the system for a few bytes at a time costs more than the bytes. */
export const randomHex: RandomHex = (bytes) => {
  if (used + 2 * bytes > pool.length) {
    pool = randomBytes(Math.max(POOL_BYTES, bytes)).toString("hex");
    used = 0;
  }
  used += 2 * bytes;
  return pool.slice(used - 2 * bytes, used);
};
