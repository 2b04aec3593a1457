import { setImmediate as round } from "node:timers/promises";

/** The rejections that nobody heard while something was done. */
export async function unheard(work: () => Promise<void>): Promise<readonly unknown[]> {
  const reasons: unknown[] = [];
  const note = (reason: unknown): void => void reasons.push(reason);
  const others = process.listeners("unhandledRejection");
  process.removeAllListeners("unhandledRejection").on("unhandledRejection", note);
  try {
    await work();
    await round();
  } finally {
    process.removeAllListeners("unhandledRejection");
    for (const other of others) process.on("unhandledRejection", other);
  }
  return reasons;
}
