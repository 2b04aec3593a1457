import { expect } from "vitest";

const SMALLEST = 64;
const LARGEST = 32_768;
/** Inputs grow by this factor. Linear work then takes eight times as long, quadratic work 64 times. */
const FACTOR = 8;
const MOST_GROWTH = 26;
/** Half of that: growth that is so far below needs no better measurement. */
const CLEARLY_LINEAR = 13;
/** Work of fewer milliseconds at the largest size is fast enough, however it grows: quadratic work takes some hundred. */
const FAST = 20;
/** Milliseconds after which no larger input is needed. */
const ENOUGH = 40;
/** Milliseconds of processor time that a measurement takes at least, unless so many runs are faster. */
const MEASURED = 12;
const MOST_RUNS = 64;
const TRIES = 2;
/** Work counts as growing too fast when each of so many looks says so. */
const LOOKS = 3;
/** Milliseconds below which a time is not known. */
const LEAST = 0.05;

/** Work on an input that grows. */
export interface GrowingWork<T> {
  /** Makes an input of about so many characters or entries; this is not measured. */
  readonly input: (size: number) => T;
  readonly work: (input: T) => unknown;
  /** The sizes that are tried; by default from 64 to 32 K. */
  readonly smallest?: number;
  readonly largest?: number;
}

/** Checks that work grows no faster than its input. */
export function expectLinear<T>(growing: GrowingWork<T>): void {
  expect(growthOf(growing)).toBeUndefined();
}

/**
 * Says how work grows that grows faster than its input; `undefined` when it does not. Inputs grow until their work can be
 * measured. Then this thread's processor time for the largest is compared with that for an eighth of it, with a bound so
 * wide that only the kind of growth counts, not the machine.
 */
export function growthOf<T>(growing: GrowingWork<T>): string | undefined {
  const { input, work, smallest = SMALLEST, largest = LARGEST } = growing;
  let size = smallest;
  while (size * FACTOR <= largest && leastTime(input(size), work) < ENOUGH) size *= FACTOR;
  const whole = input(size);
  const once = threadTime(() => work(whole));
  if (once < FAST) return undefined;
  const eighth = input(size / FACTOR);
  // Most work is so clearly linear that it needs no closer look.
  if (once / timeOf(eighth, work, FACTOR) < CLEARLY_LINEAR) return undefined;
  let found = "";
  // What grows too fast does so each time; to be collected as garbage at the wrong moment happens once.
  for (let look = 0; look < LOOKS; look += 1) {
    const large = bestTime(whole, work);
    const small = Math.max(bestTime(eighth, work), LEAST);
    if (large < FAST || large / small < MOST_GROWTH) return undefined;
    found = `${size} took ${large.toFixed(1)} ms, an eighth of it ${small.toFixed(2)} ms`;
  }
  return found;
}

/** A time that seems long is taken again: the clock may have ticked for what the system did meanwhile. */
function leastTime<T>(input: T, work: (input: T) => unknown): number {
  const once = threadTime(() => work(input));
  if (once < ENOUGH) return once;
  const again = threadTime(() => work(input));
  return Math.min(once, again);
}

/** The least time of some tries; each try repeats the work until the clock can tell. */
function bestTime<T>(input: T, work: (input: T) => unknown): number {
  return Math.min(...Array.from({ length: TRIES }, () => timeOf(input, work)));
}

/** Milliseconds for one run. The work is repeated, so often at least, until the clock of a thread can tell. */
function timeOf<T>(input: T, work: (input: T) => unknown, least = 1): number {
  for (let runs = least; ; runs *= 4) {
    const taken = threadTime(() => {
      for (let run = 0; run < runs; run += 1) work(input);
    });
    if (taken >= MEASURED || runs >= MOST_RUNS) return taken / runs;
  }
}

/**
 * Measures milliseconds of this thread's processor time, which a busy machine does not change. The clock may tick in steps of
 * some milliseconds.
 */
export function threadTime(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

const SIGNS = [
  // One by one, blanks and what nobody sees first.

  " ",
  "\t",
  "\n",
  "\r",
  "\0",
  "\u001b",
  "\u009b",
  "\u009d",
  "\u00a0",
  "\u200b",
  "\ud800",
  "\u00e9",
  "\ud83d\ude00",

  "a",
  "1",
  "_",
  "-",
  ".",
  ",",
  ":",
  ";",
  "=",
  "/",
  "\\",
  '"',
  "'",
  "`",
  "~",
  "!",
  "?",
  "@",
  "#",
  "$",
  "%",
  "^",
  "&",
  "*",
  "+",
  "|",
  "<",
  ">",
  "(",
  ")",
  "[",
  "]",
  "{",
  "}",
  // Openings, and what looks like the beginning of something.

  "<a",
  "<!--",
  "</",
  "<title",
  '<skill name="a">\n',
  "{,",
  "{a,",
  "${",
  "$(",
  "[a](",
  "![",
  "**a",
  "*a_",
  "`a",
  "``a",

  "```a\n",
  "~~~a\n",
  "> ",
  "- a\n",
  "|a",
  "a|",
  "\u001b]",
  "\u001b[;",
  "\u001b;",
  "//",
  "/..",
  "../",
  "@a",
  "#a",
  "&#",
  "a.",
  "a:",
  "a=",
  "a ",
  " a",
  "\n ",
  "\\\n",
  "a\r",
  "\r\n",
  "1m",
  "1,",
  ", ",
  "and ",
  "data:",
  "%2",
];

/** Makes texts of so many characters that are hard for careless patterns: runs, openings without ends, near misses. */
export const HARD_TEXTS: Readonly<Record<string, (size: number) => string>> = Object.fromEntries(
  SIGNS.flatMap((part) => {
    const run = (size: number): string => part.repeat(Math.ceil(size / part.length)).slice(0, size);
    return [
      [JSON.stringify(part), run],
      [`x${JSON.stringify(part)}\\n!`, (size: number) => `x${run(size)}\n!`],
    ];
  }),
);
