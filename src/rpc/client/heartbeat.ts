import type { Clock } from "../../shared/async/clock.ts";

const PING_MS = 15_000;
const DEAD_MS = 45_000;

/**
 * Makes a detector of dead connections that nobody has closed.
 *
 * @param dead - called when nothing has come for too long
 */
export function heartbeat(
  clock: Clock,
  { ping, dead }: { readonly ping: () => void; readonly dead: () => void },
) {
  let last = 0;
  let stop = (): void => undefined;
  const heard = (): void => void (last = clock.monotonic());
  const beatLater = (): void => {
    stop = clock.after(PING_MS, () => {
      if (clock.monotonic() - last >= DEAD_MS) return dead();
      ping();
      beatLater();
    });
  };
  return {
    start(): void {
      stop();
      heard();
      beatLater();
    },
    stop: (): void => stop(),
    heard,
  };
}
