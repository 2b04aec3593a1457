import { toHostError } from "../../shared/errors/host-error.ts";
import type { Agent } from "../compose.ts";
import { detachedLimit } from "../config/detached.ts";
import { type DetachedProcess, noteDetached } from "./detached-process.ts";

const HOUR = 3_600_000;
/** The longest that the system's timer can wait. */
const LONGEST_WAIT = 2 ** 31 - 1;

/** Bytes of a short id that a person types. */
const ID_BYTES = 3;

/** A note in the home that this process goes on without a terminal: others find it by that. */
export interface AloneNote {
  /** Its short id. */
  readonly id: string;
  readonly until: number | undefined;
  readonly forget: () => Promise<void>;
}

/** Notes that this process goes on without a terminal. It may be about to leave that still. */
export async function noteAlone(
  { host, store, settings, log }: Agent,
  { pid, cwd }: Pick<DetachedProcess, "pid" | "cwd">,
): Promise<AloneNote> {
  const { clock } = host.services;
  const limit = detachedLimit(settings);
  const since = clock.now();
  const until = limit === 0 ? undefined : since + limit;
  const id = host.services.hex(ID_BYTES);
  // A store that takes nothing now is no reason to stop.
  const report = (thrown: unknown): void => log.report(toHostError(thrown));
  const note = { id, hostId: store.hostId, pid, cwd, since, until };
  const forget = await noteDetached(store.records, note).catch((thrown: unknown) => {
    report(thrown);
    return () => Promise.resolve();
  });
  return { id, until, forget: () => forget().catch(report) };
}

/**
 * Goes on with the turns of this process and with what is queued behind them until all is done, the time for that is
 * over, or the process is told to end. Questions wait for their answers as long as they always do.
 *
 * @param told - aborts when the process is told to end
 */
export async function goOnAlone(
  { host, settings }: Agent,
  { until, forget }: AloneNote,
  told: AbortSignal,
): Promise<void> {
  const { clock } = host.services;
  const over = Promise.withResolvers<string>();
  const cancel =
    until === undefined
      ? () => undefined
      : clock.after(Math.min(until - clock.now(), LONGEST_WAIT), () =>
          over.resolve(
            `Its time without a terminal was over (detached.max_hours is ${detachedLimit(settings) / HOUR}).`,
          ),
        );
  told.addEventListener("abort", () => over.resolve(TOLD), { once: true });
  if (told.aborted) over.resolve(TOLD);
  const reason = await Promise.race([host.idle(), over.promise]);
  cancel();
  if (reason !== undefined) await host.close({ reason });
  await forget();
}

const TOLD = "Its process was told to end.";
