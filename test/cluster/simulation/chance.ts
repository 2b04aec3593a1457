/** A source of chance: numbers from 0 to below 1. */
export type Chance = () => number;

/** Makes a source of chance: the same seed and the same purpose give the same numbers. */
export function chance(seed: number, purpose: string): Chance {
  let state = seed >>> 0;
  for (const character of purpose) state = Math.imul(state ^ character.charCodeAt(0), 0x9e3779b1) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Bytes by chance, as hexadecimal digits. */
export const hexBy =
  (random: Chance) =>
  (bytes: number): string =>
    Array.from({ length: bytes }, () =>
      Math.floor(random() * 256)
        .toString(16)
        .padStart(2, "0"),
    ).join("");
