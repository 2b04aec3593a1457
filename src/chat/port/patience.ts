import { type Clock, sleep } from "../../shared/async/clock.ts";
import { toHostError } from "../../shared/errors/host-error.ts";

const TRIES = 5;

/** Asks again while that may help, for what events cannot be read without. Gives nothing for what is gone, or is not the bot's to see. */
export async function askPatiently(
  clock: Clock,
  signal: AbortSignal,
  ask: () => Promise<unknown>,
): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (thrown) {
      const { code, details } = toHostError(thrown);
      if (code === "not_found" || code === "invalid_params") return undefined;
      const mayPass = code === "delivery_failed" || code === "fetch_failed";
      if (signal.aborted || !mayPass || attempt === TRIES) throw thrown;
      await sleep(clock, details.retryAfterMs ?? 1000, signal);
    }
  }
}
