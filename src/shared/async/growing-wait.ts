const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * Gives the milliseconds to wait after a failure before the next try: 1, 2, 4 … 60 s, with jitter.
 *
 * @param before - the failures before it
 * @param random - gives a number in [0, 1)
 */
export function growingWait(before: number, random: () => number): number {
  const usual = Math.min(LONGEST_MS, FIRST_MS * 2 ** before);
  // Half of it at least, so that many that failed together do not come back together.
  return usual * (0.5 + random() / 2);
}
