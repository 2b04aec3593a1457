/**
 * Asks the disk for something that may not be there. These are a few names in a folder that was just looked at, one after the
 * other: each is known sooner than another thread can be asked for it.
 */
export function orNone<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
