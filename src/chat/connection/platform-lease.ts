import type { Records } from "../../core/index.ts";
import { type Clock, sleep } from "../../shared/async/clock.ts";

const LOOK_MS = 5000;

/** The platform and the patience of a process that wants to connect. */
export interface LeaseWish {
  readonly platform: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * Waits until no other living process of the home is connected to a platform, and holds it for this one until it is
 * disposed of. `undefined` when `signal` aborts first.
 *
 * @param waiting - told when another process has it
 */
export async function waitForLease(
  records: Records,
  { platform, clock, signal }: LeaseWish,
  waiting: () => void,
): Promise<AsyncDisposable | undefined> {
  const space = `chat.lease.${platform}`;
  const free = { space, key: platform, value: "{}", dueAt: 0 };
  await records.add(free);
  let isTold = false;
  while (!signal.aborted) {
    const [lease] = await records.claimDue(space, 1);
    if (lease !== undefined) return { [Symbol.asyncDispose]: async () => void (await records.put(free)) };
    if (!isTold) waiting();
    isTold = true;
    await sleep(clock, LOOK_MS, signal);
  }
  return undefined;
}
