import { crc32 } from "node:zlib";
import type { StoredRow } from "../../../core/index.ts";

/** The checksum of a row without its session, so that a copy in a branch keeps it. */
export function rowChecksum({ n, seq, at, type, mid, body }: StoredRow): number {
  return crc32(`${n} ${seq} ${at} ${type} ${mid ? 1 : 0}\n${body}`);
}

/** The checksum of a state and its place in the log. */
export function stateChecksum(state: {
  readonly id: string;
  readonly n: number;
  readonly seq: number;
  readonly version: number;
  readonly body: string;
}): number {
  return crc32(`${state.id}\n${state.n} ${state.seq} ${state.version}\n${state.body}`);
}

/** The checksum of what a writer gives a record, and its version. */
export function recordChecksum(record: {
  readonly space: string;
  readonly key: string;
  readonly parent?: string;
  readonly value: string;
  readonly version: number;
}): number {
  const { space, key, parent = "", value, version } = record;
  return crc32(`${JSON.stringify([space, key, parent])} ${version}\n${value}`);
}
