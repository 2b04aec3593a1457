import type { AppendEntry, HistoryEntry } from "../history/history.ts";
import type { Fault } from "./fault.ts";

/** A lease as a host was given it, or was still given it. */
interface Grant {
  readonly fence: number;
  readonly host: string;
  readonly from: number;
  readonly to: number;
}

/** One session, one writer: fences rise with the rows and with the time, and each belongs to one host. */
export function* writerFaults(session: string, entries: readonly HistoryEntry[]): Generator<Fault> {
  const text = (what: string): Fault => ({ kind: "two writers", session, text: what });
  const appends = entries.filter((entry) => entry.type === "append" && entry.status === "ok");
  const grants = entries.filter((entry) => !givesBackOnly(entry)).flatMap(grantsOf);
  const hosts = new Map<number, string>();
  for (const { fence, host } of grants) {
    const other = hosts.get(fence);
    if (other !== undefined && other !== host) yield text(`fence ${fence} was given to ${other} and ${host}`);
    hosts.set(fence, host);
  }
  const isNewer = newestBefore(grants);
  for (const grant of grants) {
    const newer = isNewer(grant.from);
    if (newer === undefined || newer.fence <= grant.fence) continue;
    yield text(
      `${grant.host} was acknowledged under fence ${grant.fence} after ${newer.host} had been given ${newer.fence}`,
    );
  }
  yield* rowFaults(
    appends.filter((entry) => entry.type === "append"),
    text,
  );
}

function* rowFaults(appends: readonly AppendEntry[], text: (what: string) => Fault): Generator<Fault> {
  const rows = appends
    .flatMap(({ rows: made, host, fence, granted }) =>
      made.map(({ n }) => ({ n, host, fence: granted ?? fence })),
    )
    .toSorted((a, b) => a.n - b.n);
  let last: (typeof rows)[number] | undefined;
  let fence = { of: 0, host: "" };
  for (const row of rows) {
    if (row.n === last?.n) yield text(`row ${row.n} was acknowledged to ${last.host} and to ${row.host}`);
    last = row;
    if (row.fence === undefined) continue;
    if (row.fence < fence.of)
      yield text(
        `row ${row.n} of ${row.host} has fence ${row.fence}, behind one of ${fence.host} with ${fence.of}`,
      );
    else fence = { of: row.fence, host: row.host };
  }
}

/** Who only gives a lease back may have lost it already: there is nothing that it writes. */
const givesBackOnly = (entry: HistoryEntry): boolean =>
  entry.type === "append" && entry.granted === undefined && entry.rows.length + entry.pieces.length === 0;

/** The leases that an entry shows. */
export function grantsOf(entry: HistoryEntry): readonly Grant[] {
  if (entry.type === "takeover") return [entry];
  if (entry.type !== "append" || entry.status !== "ok") return [];
  const { host, from, to } = entry;
  const fence = entry.granted ?? entry.fence;
  return fence === undefined ? [] : [{ fence, host, from, to }];
}

/** Gives the grant with the highest fence among those that were known before a time. */
export function newestBefore(grants: readonly Grant[]): (time: number) => Grant | undefined {
  const times: number[] = [];
  const newest: Grant[] = [];
  for (const grant of grants.toSorted((a, b) => a.to - b.to)) {
    const known = newest.at(-1);
    if (known !== undefined && known.fence >= grant.fence) continue;
    times.push(grant.to);
    newest.push(grant);
  }
  return (time) => {
    let low = 0;
    let high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? Infinity) < time) low = middle + 1;
      else high = middle;
    }
    return newest[low - 1];
  };
}
