import { type HostError, isPassingStoreFailure, toHostError } from "../errors/host-error.ts";
import { type Clock, sleep } from "./clock.ts";
import { growingWait } from "./growing-wait.ts";

/** The way in which somebody waits for a store. */
interface StoreWait {
  readonly clock: Clock;
  /** Gives a number in [0, 1). */
  readonly random: () => number;
  /** Told of the first failure. */
  readonly report: (error: HostError) => void;
  readonly signal: AbortSignal;
}

/**
 * Does something until the store takes it. It has to come to the same when it is done twice: the answer to the first time may be lost.
 *
 * @throws what no later try would change, and anything once `signal` aborts
 */
export async function retryWhileStoreFails<T>(
  { clock, random, report, signal }: StoreWait,
  work: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await work();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (signal.aborted || !isPassingStoreFailure(error)) throw thrown;
      if (failures === 0) report(error);
    }
    await sleep(clock, growingWait(failures, random), signal);
    signal.throwIfAborted();
  }
}
