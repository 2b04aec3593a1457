/** A number with its noun, which gets an `s` unless the number is one. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
