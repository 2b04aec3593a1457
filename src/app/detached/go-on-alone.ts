import { toHostError } from "../../shared/errors/host-error.ts";
import type { Agent } from "../compose.ts";
import { detachedLimit } from "../config/detached.ts";
import { noteDetached } from "./detached-process.ts";

const HOUR = 3_600_000;
/** The longest that the system's timer can wait. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** The facts of a process that goes on without a terminal. */
export interface AloneOptions {
  /** Its short id. */
  readonly id: string;
  readonly pid: number;
  readonly cwd: string;
  /** Aborts when the process is told to end. */
  readonly told: AbortSignal;
}

/**
 * Goes on with the turns of this process and with what is queued behind them until all is done, the time for that is
 * over, or the process is told to end. Questions wait for their answers as long as they always do.
 */
export async function goOnAlone(agent: Agent, { id, pid, cwd, told }: AloneOptions): Promise<void> {
  const { host, store, settings, log } = agent;
  const { clock } = host.services;
  const limit = detachedLimit(settings);
  const until = limit === 0 ? undefined : clock.now() + limit;
  const note = { id, hostId: store.hostId, pid, cwd, since: clock.now(), until };
  // A store that takes nothing now is no reason to stop.
  const forget = await noteDetached(store.records, note).catch((thrown: unknown) => {
    log.report(toHostError(thrown));
    return () => Promise.resolve();
  });
  const over = Promise.withResolvers<string>();
  const cancel =
    limit === 0
      ? () => undefined
      : clock.after(Math.min(limit, LONGEST_WAIT), () =>
          over.resolve(`Its time without a terminal was over (detached.max_hours is ${limit / HOUR}).`),
        );
  told.addEventListener("abort", () => over.resolve(TOLD), { once: true });
  if (told.aborted) over.resolve(TOLD);
  const reason = await Promise.race([host.idle(), over.promise]);
  cancel();
  if (reason !== undefined) await host.close({ reason });
  await forget().catch((thrown: unknown) => log.report(toHostError(thrown)));
}

const TOLD = "Its process was told to end.";
