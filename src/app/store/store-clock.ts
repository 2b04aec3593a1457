import { type Clock, systemClock } from "../../core/index.ts";
import type { HomeStore } from "../../providers/store/index.ts";

/**
 * The clock of a host: what it writes down is compared with what other machines wrote, so its time is the store's. Durations
 * and timers are the machine's own.
 */
export const storeClock = (store: Pick<HomeStore, "now">): Clock => ({
  ...systemClock,
  now: () => store.now(),
});
