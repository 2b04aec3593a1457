import { FEED_TYPES, type StoredRow } from "../../../core/index.ts";
import type { EncodedAppend } from "../operations.ts";
import type { StateEntry } from "../state-entry.ts";
import { rowChecksum, stateChecksum } from "../sqlite/checksum.ts";
import { storedText } from "./columns.ts";

const FED: ReadonlySet<string> = new Set(FEED_TYPES);

/** The checksum of an append's last row. */
export function endChecksum({ rows }: EncodedAppend): number | null {
  const last = rows.at(-1);
  return last === undefined ? null : rowChecksum(last);
}

/** An append as `APPEND` takes it; `again`: it was sent before, and its answer was lost; `unheard`: and no lease is held. */
const askedAppend = (
  request: EncodedAppend,
  { i, again, unheard }: { readonly i: number; readonly again: boolean; readonly unheard: boolean },
) => {
  return {
    i,
    id: storedText(request.session),
    asked_fence: request.fence ?? null,
    after_n: request.after.n,
    after_seq: request.after.seq,
    end_seq: request.rows.at(-1)?.seq ?? null,
    end_crc: endChecksum(request),
    again,
    unheard,
    release: request.release,
    clear: request.clearPieces,
    reserve: request.reserve,
  };
};

/** Rows as `APPEND` takes them, those marked that others follow. */
export function askedRows(rows: readonly StoredRow[], i?: number) {
  // What stands before the mark of an import happened elsewhere.
  const own = Math.max(
    rows.findLastIndex(({ type }) => type === "session.import"),
    0,
  );
  return rows.map((row, index) => ({
    ...(i !== undefined && { i }),
    seq: row.seq,
    n: row.n,
    at: row.at,
    type: row.type,
    mid: row.mid,
    body: row.body,
    crc: rowChecksum(row),
    fed: index >= own && FED.has(row.type),
  }));
}

export const askedPieces = ({ pieces }: Pick<EncodedAppend, "pieces">, i?: number) =>
  pieces.map(({ cursor, kind, text }) => ({
    ...(i !== undefined && { i }),
    cursor,
    kind,
    text: storedText(text),
  }));

/** A session's columns as a state sets them. */
export const askedState = (id: string, { n, seq, version, body, columns }: StateEntry) => ({
  n,
  seq,
  version,
  body,
  crc: stateChecksum(id, { n, seq, version, body }),
  ...columns,
  source: storedText(columns.source),
  cwd: storedText(columns.cwd),
  title: storedText(columns.title),
  words: storedText(columns.words),
  user: storedText(columns.user),
  people: storedText(columns.people),
});

const askedResults = ({ results }: EncodedAppend, i?: number) =>
  results.map(({ id, ok, body }) => ({ ...(i !== undefined && { i }), id, ok, body: storedText(body) }));

/** What appends are sent with. */
interface Sending {
  readonly host: string;
  /** The epoch that the host knows of. */
  readonly epoch: number;
  /** Whether it was sent before, and its answer was lost. */
  readonly isAgain: (request: EncodedAppend) => boolean;
  /** The sessions that the host drives. */
  readonly held: Pick<ReadonlySet<string>, "has">;
}

/** The values of `APPEND` for a group. */
export function appendValues(group: readonly EncodedAppend[], { host, epoch, isAgain, held }: Sending) {
  const each = (of: (request: EncodedAppend, i: number) => readonly object[]): string =>
    JSON.stringify(group.flatMap(of));
  return [
    host,
    each((request, i) => {
      const again = isAgain(request);
      return [askedAppend(request, { i, again, unheard: again && !held.has(request.session) })];
    }),
    each((request, i) => askedRows(request.rows, i)),
    each(askedPieces),
    each(({ session, state }, i) => (state === undefined ? [] : [{ i, ...askedState(session, state) }])),
    each(({ blobs }, i) => blobs.map((hash) => ({ i, hash }))),
    each(askedResults),
    epoch,
  ];
}

/** The values of `BEGIN`; `undefined` for an append without a state, which begins nothing. */
export function beginValues(host: string, request: EncodedAppend) {
  const { session, state, release, reserve, rows, blobs } = request;
  if (state === undefined) return undefined;
  return [
    host,
    JSON.stringify({ id: storedText(session), release, reserve, ...askedState(session, state) }),
    JSON.stringify(askedRows(rows)),
    JSON.stringify(askedPieces(request)),
    JSON.stringify(blobs.map((hash) => ({ hash }))),
    JSON.stringify(askedResults(request)),
  ];
}
