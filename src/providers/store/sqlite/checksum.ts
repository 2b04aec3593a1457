import { crc32 } from "../../../shared/text/crc32.ts";
import type { StoredRow } from "../../../core/index.ts";
import type { RecordEntry } from "../operations.ts";
import type { StateEntry } from "../state-entry.ts";

/** The checksum of a row without its session, so that a copy in a branch keeps it. */
export function rowChecksum({ n, seq, at, type, mid, body }: StoredRow): number {
  return crc32(`${n} ${seq} ${at} ${type} ${mid ? 1 : 0}\n${body}`);
}

/** The row of a text that `rowChecksum` covers; its checksum was found right. */
export function readRowText(written: string): StoredRow {
  const end = written.indexOf("\n");
  const [n, seq, at, type = "", mid] = written.slice(0, end).split(" ");
  return {
    n: Number(n),
    seq: Number(seq),
    at: Number(at),
    type,
    mid: mid === "1",
    body: written.slice(end + 1),
  };
}

/** The checksum of a state and its place in the log. */
export function stateChecksum(
  id: string,
  { n, seq, version, body }: Pick<StateEntry, "n" | "seq" | "version" | "body">,
): number {
  return crc32(`${id}\n${n} ${seq} ${version}\n${body}`);
}

/** The checksum of what a writer gives a record, and its version. */
export function recordChecksum(
  record: Pick<RecordEntry, "space" | "key" | "parent" | "value" | "version">,
): number {
  const { space, key, parent = "", value, version } = record;
  return crc32(`${JSON.stringify([space, key, parent])} ${version}\n${value}`);
}
