import type { RecordDraft } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { StoreInput, StoreOperations, RecordEntry } from "../operations.ts";
import { recordChecksum } from "./checksum.ts";
import {
  integer,
  type ResultRow,
  nullableInteger,
  nullableText,
  InvalidValueError,
  text,
} from "./columns.ts";
import { HOST_COLUMNS, holderOf } from "./host-entry.ts";
import { registerHost } from "./hosts.ts";
import type { OperationContext } from "./operation-context.ts";

type RecordWork = Extract<keyof StoreOperations, `${string}Record` | `${string}Records`>;

/** Expired records that one step deletes, so that other processes get a turn in between. */
const STEP = 2_000;

export function recordOperations(context: OperationContext): Pick<StoreOperations, RecordWork> {
  return {
    readRecord: (request) => find(context, request),
    writeRecord: (request) => write(context, request),
    removeRecord: (request) => remove(context, request),
    listRecords: (request) => list(context, request),
    renewRecord: ({ space, key, expiresAt, now }) =>
      context.database.run(
        `UPDATE records SET expires_at = ? WHERE space = ? AND key = ? AND ${ALIVE}`,
        expiresAt,
        space,
        key,
        now,
      ) > 0,
    trimRecords: ({ space, keep }) => trim(context, space, keep),
    claimRecords: (request) => claim(context, request),
    expireRecords: ({ now }) => expire(context, now),
  };
}

const ALIVE = "(expires_at IS NULL OR expires_at > ?)";

const RECORD = `
  SELECT r.position, r.space, r.key, r.parent, r.value, r.version, r.due_at, r.expires_at, r.claim, r.crc, ${HOST_COLUMNS}
  FROM records r LEFT JOIN hosts h ON h.id = r.claim
`;

function find(
  { database }: OperationContext,
  { space, key, now }: StoreInput<"readRecord">,
): RecordEntry | undefined {
  const row = database.one(`${RECORD} WHERE r.space = ? AND r.key = ? AND ${ALIVE}`, space, key, now);
  if (row === undefined) return undefined;
  const entry = soundEntry(row);
  if (entry === undefined) throw new InvalidValueError(`record ${key} of ${space} is not what was written`);
  return entry;
}

function soundEntry(row: ResultRow): RecordEntry | undefined {
  const entry: RecordEntry = defined({
    space: text(row, "space"),
    key: text(row, "key"),
    value: text(row, "value"),
    version: integer(row, "version"),
    position: integer(row, "position"),
    parent: nullableText(row, "parent"),
    dueAt: nullableInteger(row, "due_at"),
    expiresAt: nullableInteger(row, "expires_at"),
    claim: holderOf(row, "claim"),
  });
  return recordChecksum(entry) === row["crc"] ? entry : undefined;
}

function write(
  context: OperationContext,
  { draft, version: expected, now }: StoreInput<"writeRecord">,
): ReturnType<StoreOperations["writeRecord"]> {
  const { database } = context;
  const { space, key } = draft;
  // An expired record does not count: its place is free.
  const place = database.one(
    `SELECT position, version, ${ALIVE} AS alive FROM records WHERE space = ? AND key = ?`,
    now,
    space,
    key,
  );
  const current = place !== undefined && place["alive"] === 1 ? integer(place, "version") : undefined;
  if (expected !== undefined && expected !== (current ?? 0))
    return { written: false, entry: find(context, { space, key, now }) ?? unwritten(draft) };
  if (place !== undefined && current === undefined)
    database.run("DELETE FROM records WHERE position = ?", integer(place, "position"));
  if (draft.claim === true) registerHost(context);
  const columns = columnsOf(context, draft, (current ?? 0) + 1);
  if (current === undefined) database.insert("records", { space, key, ...columns });
  else database.update("records", columns, { position: integer(place ?? {}, "position") });
  return { written: true, entry: find(context, { space, key, now }) ?? unwritten(draft) };
}

function columnsOf({ host }: OperationContext, draft: RecordDraft, version: number) {
  return {
    parent: draft.parent ?? null,
    value: draft.value,
    version,
    due_at: draft.dueAt ?? null,
    expires_at: draft.expiresAt ?? null,
    claim: draft.claim === true ? host.id : null,
    crc: recordChecksum({ ...draft, version }),
  };
}

/** The entry of a draft that was not written, or that had expired when it was. */
const unwritten = ({ claim: _claim, ...draft }: RecordDraft): RecordEntry => ({
  ...draft,
  version: 0,
  position: 0,
});

function remove(
  { database }: OperationContext,
  { space, key, now, version }: StoreInput<"removeRecord">,
): boolean {
  return (
    database.run(
      `DELETE FROM records WHERE space = ? AND key = ? AND ${ALIVE} AND (?4 IS NULL OR version = ?4)`,
      space,
      key,
      now,
      version ?? null,
    ) > 0
  );
}

function list({ database }: OperationContext, query: StoreInput<"listRecords">): readonly RecordEntry[] {
  const { space, parent, prefix, newestFirst = false, after, limit, now } = query;
  const where = ["r.space = ?", ALIVE];
  const values: (string | number)[] = [space, now];
  if (parent !== undefined) {
    where.push("r.parent = ?");
    values.push(parent);
  }
  if (prefix !== undefined) {
    where.push("r.key >= ? AND r.key < ?");
    values.push(prefix, `${prefix}\u{10ffff}`);
  }
  if (after !== undefined) {
    where.push(newestFirst ? "r.position < ?" : "r.position > ?");
    values.push(after);
  }
  const sql = `${RECORD} WHERE ${where.join(" AND ")} ORDER BY r.position ${newestFirst ? "DESC" : "ASC"} LIMIT ?`;
  return sound(database.all(sql, ...values, limit));
}

const sound = (rows: readonly ResultRow[]): readonly RecordEntry[] =>
  rows.flatMap((row) => soundEntry(row) ?? []);

function trim({ database }: OperationContext, space: string, keep: number): number {
  const excess = database.integer("n", "SELECT count(*) AS n FROM records WHERE space = ?", space) - keep;
  if (excess <= 0) return 0;
  return database.run(
    `DELETE FROM records WHERE position IN
       (SELECT position FROM records WHERE space = ? AND expires_at IS NOT NULL ORDER BY expires_at LIMIT ?)`,
    space,
    excess,
  );
}

function claim(
  context: OperationContext,
  { space, limit, now, dead }: StoreInput<"claimRecords">,
): ReturnType<StoreOperations["claimRecords"]> {
  const { database, host } = context;
  const due = `${RECORD} WHERE r.space = ?1 AND r.due_at <= ?2 AND (r.expires_at IS NULL OR r.expires_at > ?2)`;
  const free = "(r.claim IS NULL OR r.claim IN (SELECT value FROM json_each(?3)))";
  const rows = database.all(
    `${due} AND ${free} ORDER BY r.due_at, r.position LIMIT ?4`,
    space,
    now,
    JSON.stringify(dead),
    limit,
  );
  const entries = sound(rows);
  if (entries.length > 0) registerHost(context);
  for (const { position } of entries)
    database.run("UPDATE records SET claim = ? WHERE position = ?", host.id, position);
  const others = database.all(
    `${due} AND r.claim IS NOT NULL AND r.claim <> ?3 AND r.claim NOT IN (SELECT value FROM json_each(?4))
     GROUP BY r.claim`,
    space,
    now,
    host.id,
    JSON.stringify(dead),
  );
  return {
    entries: entries.map((entry) => ({ ...entry, claim: host })),
    holders: others.flatMap((row) => holderOf(row, "claim") ?? []),
  };
}

function expire({ database }: OperationContext, now: number): boolean {
  const deleted = database.run(
    `DELETE FROM records WHERE position IN (SELECT position FROM records WHERE expires_at <= ? LIMIT ${STEP})`,
    now,
  );
  return deleted === STEP;
}
