import { EMPTY_STATE, type SessionState, type StoredRow } from "../../../core/index.ts";
import type { EncodedAppend, HostEntry, StoreInput, StoreOperationName } from "../operations.ts";
import { encodeStateEntry } from "../state-entry.ts";
import { Batch } from "./batch.ts";
import { ChangeWatcher } from "./change-watcher.ts";
import { openMemoryDatabase } from "./open-database.ts";
import { OperationContext } from "./operation-context.ts";
import { sqlOperations } from "./sql-operations.ts";
import type { OperationRequest, OperationResponse } from "./worker-messages.ts";

const SESSION = "rehearsal";
const NOBODY: HostEntry = {
  id: "rehearsal",
  beat: 0,
  ended: false,
  pid: 0,
  startedAt: "",
  bootId: "",
  pidNamespace: "",
  machineId: "",
};

/**
 * Goes through the first turn of a session on a database in memory: a process that nobody has asked anything yet has the
 * time, and what it does for the first time takes it several times as long.
 *
 * @returns what the requests came to
 */
export function rehearseFirstTurn(): readonly OperationResponse[] {
  const database = openMemoryDatabase();
  const context = new OperationContext({ database, blobs: NO_BLOBS, saved: NO_PIECES, host: NOBODY });
  const watcher = new ChangeWatcher(context, () => undefined);
  const batch = new Batch(context, sqlOperations(context, watcher), NO_RESERVE);
  const responses = REQUESTS.flatMap((request) => batch.run([request]));
  database.close();
  return responses;
}

function rowsFrom(n: number, ...types: readonly string[]): readonly StoredRow[] {
  return types.map((type, at) => ({ n: n + at, seq: n + at, at: 0, type, body: "{}", mid: false }));
}

const stateAt = (n: number) => encodeStateEntry({ ...EMPTY_STATE, n, seq: n } satisfies SessionState, false);

function append(after: number, rows: readonly StoredRow[], fence: number | undefined): EncodedAppend {
  const head = { n: after, seq: after };
  const nothing = { pieces: [], blobs: [], results: [], creates: false };
  const state = rows.length === 0 ? {} : { state: stateAt(after + rows.length) };
  const release = rows.length === 0;
  return {
    session: SESSION,
    fence,
    after: head,
    rows,
    clearPieces: true,
    release,
    reserve: 100,
    ...nothing,
    ...state,
  };
}

function requestOf<Name extends StoreOperationName>(
  name: Name,
  input: StoreInput<Name>,
): Extract<OperationRequest, { readonly name: Name }> {
  // The name says which input it takes.
  return { id: 0, name, input } as Extract<OperationRequest, { readonly name: Name }>;
}

const REQUESTS: readonly OperationRequest[] = [
  requestOf("listen", {}),
  requestOf("hosts", {}),
  requestOf("claimRecords", { space: SESSION, limit: 1, now: 0, dead: [] }),
  requestOf("list", { offset: 0, limit: 1, unowned: true, waiting: true, includeHidden: true }),
  requestOf("create", { id: SESSION, rows: rowsFrom(1, "session.start"), state: stateAt(1) }),
  requestOf("readRecord", { space: SESSION, key: SESSION, now: 0 }),
  requestOf("watch", { session: SESSION }),
  requestOf("read", { session: SESSION, after: 0, limit: 100 }),
  requestOf("append", append(1, rowsFrom(2, "turn.start"), undefined)),
  requestOf("append", append(2, rowsFrom(3, "reply.complete", "turn.end"), 1)),
  requestOf("append", append(4, [], 1)),
  requestOf("unwatch", { session: SESSION }),
];

/** Memory needs no reserve: there is no disk that could be full. */
const NO_RESERVE = { require: () => undefined, release: () => undefined };
const NO_BLOBS = { delete: () => undefined, deleteLeftovers: () => undefined };
const NO_PIECES = {
  of: () => [],
  lastOf: () => 0,
  changesOf: () => 0,
  seal: () => undefined,
  discard: () => undefined,
  remove: () => undefined,
  removeLeftovers: () => undefined,
};
