/** The seed of this run's random tests. */
export const seed = Number(process.env["TEST_SEED"] ?? 1);

const long = process.env["TEST_LONG"] === "1";

/** How often a random test repeats: the full count in `npm run test:long`, a tenth of it in `npm test`. */
export const times = (full: number): number => (long ? full : Math.max(1, Math.ceil(full / 10)));

/** The same for repetitions that take long each: `short` of them in `npm test`. */
export const timesOr = <T = number>(full: T, short: T): T => (long ? full : short);

/** A small repeatable random source: the same seed gives the same numbers. */
export function random(salt = 0): () => number {
  let state = (seed ^ Math.imul(salt + 1, 0x9e3779b1)) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
