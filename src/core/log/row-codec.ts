import type { DurableEvent, Row } from "../events/events.ts";
import type { StoredRow } from "../ports/stored-row.ts";

/** `mid`: the row stands inside a reply that still streams, so that its text comes from a later row. */
export function encodeRow(row: Row, mid: boolean): StoredRow {
  const { n, seq, at, event } = row;
  return { n, seq, at, type: event.type, body: JSON.stringify(event), mid };
}

/** A row as it was before it was stored. */
export function decodeRow({ n, seq, at, body }: StoredRow): Row {
  // The store has checked the row's checksum: these are the bytes that `encodeRow` wrote.
  return { n, seq, at, event: JSON.parse(body) as DurableEvent };
}

const BLOB = /"blob":\{"hash":"([0-9a-f]{64})"|"overflow":\{"hash":"([0-9a-f]{64})"/g;

/** Blobs that an event's JSON names: where the codec puts a reference is known, so the text is enough. */
export function blobsIn(body: string): readonly string[] {
  if (!body.includes('{"hash":"')) return [];
  return [...body.matchAll(BLOB)].map(([, blob, overflow]) => blob ?? overflow ?? "");
}
