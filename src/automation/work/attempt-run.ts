import { NO_USAGE, type OnceResult } from "../../core/index.ts";
import { toHostError } from "../../shared/errors/host-error.ts";

/**
 * Carries out a run. A failure of the run becomes its result. A failure of this process is thrown: the next process
 * finds the session and goes on from there.
 *
 * @param signal - aborts when this process ends
 */
export async function attemptRun(signal: AbortSignal, run: () => Promise<OnceResult>): Promise<OnceResult> {
  try {
    return await run();
  } catch (thrown) {
    const error = toHostError(thrown);
    const { code, message } = error;
    const ofProcess = code === "interrupted" || code === "draining" || code.startsWith("store_");
    if (ofProcess || signal.aborted) throw error;
    return { outcome: "failed", text: "", usage: NO_USAGE, error: { code, message } };
  }
}

/** Tells why a run has no answer. */
export const runFailure = ({ outcome, error }: Pick<OnceResult, "outcome" | "error">): string =>
  outcome === "interrupted"
    ? "The process that ran it died, or was stopped."
    : (error?.message ?? "The run failed.");
