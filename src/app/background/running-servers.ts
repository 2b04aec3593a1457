import type { Records } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";

const SPACE = "connector.running";
const MOST = 1000;

/** A connector that a living process of the home runs. */
export interface RunningServer {
  /** Its key in `platforms` of config.yaml. */
  readonly platform: string;
  readonly title: string;
  /** Unix milliseconds. */
  readonly since: number;
}

/** Notes that this process runs a connector, until it is disposed of or its process dies. */
export async function noteServer(records: Records, server: RunningServer): Promise<AsyncDisposable> {
  for (const { key, claim } of await records.list({
    space: SPACE,
    prefix: `${server.platform}:`,
    limit: MOST,
  }))
    if (claim?.alive !== true) await records.remove(SPACE, key);
  const key = `${server.platform}:${server.since}`;
  await records.put({ space: SPACE, key, value: JSON.stringify(server), claim: true });
  return { [Symbol.asyncDispose]: async () => void (await records.remove(SPACE, key)) };
}

/** The connectors that living processes of the home run, by their platforms. */
export async function runningServers(records: Records): Promise<ReadonlyMap<string, RunningServer>> {
  const found = await records.list({ space: SPACE, limit: MOST });
  return new Map(
    found
      .filter(({ claim }) => claim?.alive === true)
      .map(({ value }) => serverIn(value))
      .map((server) => [server.platform, server]),
  );
}

function serverIn(value: string): RunningServer {
  const server: unknown = JSON.parse(value);
  const { platform, title, since } = isJsonObject(server) ? server : {};
  return { platform: String(platform), title: String(title), since: typeof since === "number" ? since : 0 };
}
