/**
 * Finds a short part of a list that still fails, by leaving out ever smaller parts of it; no single element can be left out of what it
 * finds, unless it had to stop before.
 *
 * @param most - runs of `fails` at most
 */
export async function shrink<T>(
  list: readonly T[],
  fails: (part: readonly T[]) => Promise<boolean>,
  most: number,
): Promise<readonly T[]> {
  let rest = list;
  let runs = 0;
  for (let size = Math.ceil(rest.length / 2); size >= 1;) {
    let isShorter = false;
    for (let from = 0; from < rest.length && runs < most;) {
      const part = rest.toSpliced(from, size);
      runs += 1;
      if (await fails(part)) {
        rest = part;
        isShorter = true;
      } else from += size;
    }
    if (runs >= most) break;
    if (size > 1) size = Math.ceil(size / 2);
    else if (!isShorter) break;
  }
  return rest;
}
