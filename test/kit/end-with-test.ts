import { onTestFinished } from "vitest";

/**
 * Ends something when its test is over, in every case: a test that timed out never comes to the end of its `using`.
 * Outside of a test, as in `beforeAll`, there is nothing to be over.
 */
export function endWithTest(end: () => void): void {
  try {
    onTestFinished(end);
  } catch {
    // Who made it disposes it.
  }
}

/** Ends the processes of a terminal's session that are left, also those that let their launcher go. */
export function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // None is left.
  }
}
