import type { Host, Records } from "../../core/index.ts";
import type { LastExit } from "../../http/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";

const SPACE = "gateway.runs";
const KEPT = 20;

/** A run of `agent gateway`, as it is noted in the home. It has failed when it is disposed of before it stopped. */
export interface GatewayRun extends AsyncDisposable {
  /** The end of the run before it; absent for the first one. */
  readonly lastExit?: LastExit;
  /** Notes that this run ends as it was told to. */
  stopped(): Promise<void>;
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
  await records.put({ space: SPACE, key, value: JSON.stringify({ startedAt }), claim: true });
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
    stopped: () => end("stopped"),
    [Symbol.asyncDispose]: () => end("failed"),
  };
}

function readRun(value: string): LastExit {
  const run: unknown = JSON.parse(value);
  const { startedAt, endedAt, reason } = isJsonObject(run) ? run : {};
  const from = typeof startedAt === "number" ? startedAt : 0;
  if (typeof endedAt !== "number") return { reason: "killed", startedAt: from };
  return { reason: reason === "failed" ? "failed" : "stopped", startedAt: from, endedAt };
}
