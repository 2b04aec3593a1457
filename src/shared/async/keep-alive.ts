import { clearInterval, setInterval } from "node:timers";

const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Keeps the process from ending until the returned function is called. It may wait for another process, of which Node
 * knows nothing.
 */
export function keepProcessAlive(): () => void {
  const timer = setInterval(() => undefined, LONGEST_TIMER);
  return () => clearInterval(timer);
}
