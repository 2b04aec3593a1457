import type { Records } from "../../core/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";

const SPACE = "dashboard.running";
const MOST = 100;

/** Notes where a dashboard of this home listens, until it is disposed of or its process dies. */
export async function noteDashboard(records: Records, url: string): Promise<AsyncDisposable> {
  for (const { key, claim } of await records.list({ space: SPACE, limit: MOST }))
    if (claim?.alive !== true) await records.remove(SPACE, key);
  await records.put({ space: SPACE, key: url, value: JSON.stringify({ url }), claim: true });
  return { [Symbol.asyncDispose]: async () => void (await records.remove(SPACE, url)) };
}

/** Finds where a dashboard of this home listens; `undefined` when none does. */
export async function runningDashboard(records: Records): Promise<string | undefined> {
  const noted = await records.list({ space: SPACE, newestFirst: true, limit: MOST });
  const value: unknown = JSON.parse(noted.find(({ claim }) => claim?.alive === true)?.value ?? "null");
  return isJsonObject(value) && typeof value["url"] === "string" ? value["url"] : undefined;
}
