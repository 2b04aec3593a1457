import type { Host, Records } from "../../core/index.ts";
import type { LastExit } from "../../http/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { packageVersion } from "../process/version.ts";

const SPACE = "gateway.runs";
const KEPT = 20;

/** A run of `agent gateway`, as it is noted in the home. It has failed when it is disposed of before it stopped. */
export interface GatewayRun extends AsyncDisposable {
  /** The end of the run before it; absent for the first one. */
  readonly lastExit?: LastExit;
  /** Notes that all that it serves is there. */
  ready(): Promise<void>;
  /** Notes that this run ends as it was told to. */
  stopped(): Promise<void>;
}

/** A process that serves the home now. */
export interface ServingProcess {
  readonly pid: number;
  readonly version: string;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** All that it serves is there. */
  readonly ready: boolean;
}

/** The processes that serve the home now, in the order of their starts. */
export async function servingProcesses(records: Records): Promise<readonly ServingProcess[]> {
  const runs = await records.list({ space: SPACE, newestFirst: true, limit: KEPT });
  return runs.toReversed().flatMap(({ value, claim }) => {
    if (claim?.alive !== true) return [];
    const { version, ready } = fieldsOf(value);
    const { startedAt } = readRun(value);
    return [{ pid: claim.pid, version: String(version), startedAt, ready: ready === true }];
  });
}

/** Notes that a gateway runs. One that is killed leaves its note without an end. */
export async function noteRun(
  records: Records,
  { clock, hex }: Pick<Host["services"], "clock" | "hex">,
): Promise<GatewayRun> {
  const earlier = await records.list({ space: SPACE, newestFirst: true, limit: KEPT });
  // Another gateway of this home that still runs has not ended.
  const last = earlier.find(({ claim }) => claim?.alive !== true);
  const key = hex(8);
  const startedAt = clock.now();
  const version = packageVersion();
  const note = async (run: object): Promise<void> => {
    const value = JSON.stringify({ startedAt, version, ...run });
    await records.put({ space: SPACE, key, value, claim: true });
  };
  await note({});
  for (const { key: old } of earlier.slice(KEPT - 1)) await records.remove(SPACE, old);
  let ended = false;
  const end = async (reason: "stopped" | "failed"): Promise<void> => {
    if (ended) return;
    ended = true;
    const value = JSON.stringify({ startedAt, endedAt: clock.now(), reason });
    await records.put({ space: SPACE, key, value });
  };
  return {
    ...(last === undefined ? {} : { lastExit: readRun(last.value) }),
    ready: () => note({ ready: true }),
    stopped: () => end("stopped"),
    [Symbol.asyncDispose]: () => end("failed"),
  };
}

function readRun(value: string): LastExit {
  const { startedAt, endedAt, reason } = fieldsOf(value);
  const from = typeof startedAt === "number" ? startedAt : 0;
  if (typeof endedAt !== "number") return { reason: "killed", startedAt: from };
  return { reason: reason === "failed" ? "failed" : "stopped", startedAt: from, endedAt };
}

function fieldsOf(value: string): Readonly<Record<string, unknown>> {
  const run: unknown = JSON.parse(value);
  return isJsonObject(run) ? run : {};
}
