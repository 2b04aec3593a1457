import { sleep } from "../../shared/async/clock.ts";
import { growingWait } from "../../shared/async/growing-wait.ts";
import { isPassingStoreFailure, toHostError } from "../../shared/errors/host-error.ts";
import type { ChatParts } from "./chat-parts.ts";

/**
 * Asks the store until it answers: an answer to people is not given up because of a moment in which it is away. What is asked has to
 * come to the same when it is done twice: the answer to the first time may be lost.
 *
 * @throws what no later try would change, and anything once `signal` aborts
 */
export async function untilStored<T>(
  { clock, host, report }: Pick<ChatParts, "clock" | "host" | "report">,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask();
    } catch (thrown) {
      const error = toHostError(thrown);
      if (signal.aborted || !isPassingStoreFailure(error)) throw thrown;
      if (failures === 0) report(error);
    }
    await sleep(clock, growingWait(failures, host.services.random), signal);
    signal.throwIfAborted();
  }
}
