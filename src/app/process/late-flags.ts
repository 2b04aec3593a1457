import { setFlagsFromString } from "node:v8";

/** A flag of V8, and how it is taken back. */
interface LateFlag {
  readonly flag: string;
  readonly without: string;
}

const LATE_FLAGS = {
  /** For a process that waits for a person most of the time. */
  size: { flag: "--optimize-for-size", without: "--no-optimize-for-size" },
  /**
   * Keeps the heap within half again of what is in use. Left to itself a heap under load grows to four times of that before
   * it is looked through, because what waits for the disk lives long enough to count as old.
   */
  steadyHeap: { flag: "--heap-growing-percent=40", without: "--heap-growing-percent=0" },
} satisfies Record<string, LateFlag>;

const set = new Set<LateFlag>();

/**
 * Sets a flag of V8 when all programs are loaded: code that was compiled in an earlier process is taken only while the flags
 * are as they were when it was kept.
 */
export function setLateFlag(name: keyof typeof LATE_FLAGS): void {
  const late = LATE_FLAGS[name];
  set.add(late);
  setFlagsFromString(late.flag);
}

/** Does something while no late flag is set: takes or keeps compiled code. */
export function withoutLateFlags<Result>(work: () => Result): Result {
  for (const { without } of set) setFlagsFromString(without);
  try {
    return work();
  } finally {
    for (const { flag } of set) setFlagsFromString(flag);
  }
}
