import type { RecordDraft } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HostEntry, RecordEntry, StoreInput, StoreOperations } from "../operations.ts";
import { recordChecksum } from "../sqlite/checksum.ts";
import { integer, nullableInteger, nullableText, type ResultRow, storedText, text } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { holderOf } from "./host-entry.ts";
import {
  ADD_RECORD,
  CLAIM_RECORDS,
  CLAIMED_RECORDS,
  EXPIRE_RECORDS,
  PUT_RECORD,
  READ_RECORD,
  recordList,
  REMOVE_RECORD,
  RENEW_RECORD,
  REPLACE_RECORD,
  TRIM_RECORDS,
} from "./record-statements.ts";
import { statement } from "./statement.ts";

type Reading = Pick<PostgresContext, "sql" | "lease">;
/** A claim is the host's word: the others must know it before. */
type Claiming = Reading & Pick<PostgresContext, "host" | "register">;

type Answer<Name extends keyof StoreOperations> = Promise<ReturnType<StoreOperations[Name]>>;

/** Expired records that one step deletes. */
const STEP = 2_000;

/** The names of requests that write. One that is made again, because its answer was lost, is the same object. */
const names = new WeakMap<object, string>();
let requests = 0;

function nameOf(request: object, { host }: Claiming): { readonly name: string; readonly again: boolean } {
  const known = names.get(request);
  const name = known ?? `${host.id}-${(requests += 1)}`;
  names.set(request, name);
  return { name, again: known !== undefined };
}

export async function readRecord(
  context: Reading,
  request: StoreInput<"readRecord">,
): Promise<RecordEntry | undefined> {
  return (await readRow(context, request))?.entry;
}

/** A record, and the request that wrote it. */
async function readRow(
  { sql, lease }: Reading,
  { space, key, now }: StoreInput<"readRecord">,
): Promise<{ readonly entry: RecordEntry; readonly by: string } | undefined> {
  const [row] = await sql.query(READ_RECORD, [...placeOf({ space, key }), now, lease.ms]);
  if (row === undefined) return undefined;
  const entry = soundEntry(row);
  if (entry !== undefined) return { entry, by: text(row, "request") };
  throw new HostError(
    "store_corrupt",
    `Record ${key} of ${space} in the database ${sql.where} is not what was written. Restore the database from a backup.`,
  );
}

const placeOf = ({ space, key }: { readonly space: string; readonly key: string }): readonly string[] => [
  storedText(space),
  storedText(key),
];

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
  return checksum(entry) === row["crc"] ? entry : undefined;
}

/** The database counts the versions: the checksum leaves them out. */
const checksum = (record: Omit<RecordDraft, "claim">): number => recordChecksum({ ...record, version: 0 });

export async function writeRecord(
  context: Claiming,
  request: StoreInput<"writeRecord">,
): Answer<"writeRecord"> {
  const { sql, host, register } = context;
  const { draft, version, now } = request;
  const { claim, ...rest } = draft;
  if (claim === true) await register();
  const { name } = nameOf(request, context);
  const values = [
    ...placeOf(draft),
    now,
    ...columnsOf(rest),
    claim === true ? host.id : null,
    checksum(rest),
    name,
  ];
  const [row] = await (version === undefined || version === 0
    ? sql.query(version === 0 ? ADD_RECORD : PUT_RECORD, values)
    : sql.query(REPLACE_RECORD, [...values, version]));
  if (row === undefined) {
    // Whoever was faster is committed by now, as another statement sees; and that may have been this request.
    const there = await readRow(context, { space: rest.space, key: rest.key, now });
    return { written: there?.by === name, entry: there?.entry ?? unwritten(rest) };
  }
  if (rest.expiresAt !== undefined && rest.expiresAt <= now) return { written: true, entry: unwritten(rest) };
  const stored = { version: integer(row, "version"), position: integer(row, "position") };
  return { written: true, entry: { ...rest, ...stored, ...(claim === true && { claim: host }) } };
}

const columnsOf = ({ parent, value, dueAt, expiresAt }: RecordDraft): readonly unknown[] => [
  parent === undefined ? null : storedText(parent),
  storedText(value),
  dueAt ?? null,
  expiresAt ?? null,
];

/** The entry of a draft that was not written, or that had expired when it was. */
const unwritten = (draft: Omit<RecordDraft, "claim">): RecordEntry => ({ ...draft, version: 0, position: 0 });

export async function removeRecord(
  { sql }: Reading,
  { space, key, now, version }: StoreInput<"removeRecord">,
): Promise<boolean> {
  const removed = await sql.query(REMOVE_RECORD, [...placeOf({ space, key }), now, version ?? null]);
  return removed.length > 0;
}

export async function renewRecord(
  { sql }: Reading,
  { space, key, expiresAt, now }: StoreInput<"renewRecord">,
): Promise<boolean> {
  return (await sql.query(RENEW_RECORD, [...placeOf({ space, key }), now, expiresAt])).length > 0;
}

export async function listRecords(
  { sql, lease }: Reading,
  query: StoreInput<"listRecords">,
): Promise<readonly RecordEntry[]> {
  const { space, parent, prefix, newestFirst = false, after, limit, now } = query;
  const values: (string | number)[] = [storedText(space), now, limit, lease.ms];
  const conditions: string[] = [];
  let form = newestFirst ? "newest" : "oldest";
  if (parent !== undefined) {
    conditions.push(`parent = $${values.push(storedText(parent))}`);
    form += "_parent";
  }
  if (prefix !== undefined) {
    const from = values.push(storedText(prefix));
    conditions.push(`key >= $${from} AND key < $${values.push(`${storedText(prefix)}\u{10ffff}`)}`);
    form += "_prefix";
  }
  if (after !== undefined) {
    conditions.push(`position ${newestFirst ? "<" : ">"} $${values.push(after)}`);
    form += "_after";
  }
  const sqlText = recordList(conditions, newestFirst ? "DESC" : "ASC");
  return sound(await sql.query(statement(`list_records_${form}`, sqlText), values));
}

const sound = (rows: readonly ResultRow[]): readonly RecordEntry[] =>
  rows.flatMap((row) => soundEntry(row) ?? []);

export async function trimRecords(
  { sql }: Reading,
  { space, keep }: StoreInput<"trimRecords">,
): Promise<number> {
  const [row = {}] = await sql.query(TRIM_RECORDS, [storedText(space), keep]);
  return integer(row, "count");
}

export async function claimRecords(
  context: Claiming,
  request: StoreInput<"claimRecords">,
): Answer<"claimRecords"> {
  const { sql, lease, host, register } = context;
  const { space, limit, now, dead } = request;
  await register();
  const { name, again } = nameOf(request, context);
  const before = again ? await sql.query(CLAIMED_RECORDS, [host.id, name]) : [];
  if (before.length > 0) return { entries: claimedBy(host, before), holders: [] };
  const values = [storedText(space), limit, now, [...dead], host.id, lease.ms, name];
  const rows = await sql.query(CLAIM_RECORDS, values);
  const others = rows.filter((row) => row["position"] === null);
  return {
    entries: claimedBy(
      host,
      rows.filter((row) => row["position"] !== null),
    ),
    holders: others.flatMap((row) => holderOf(row, "claim") ?? []),
  };
}

const claimedBy = (host: HostEntry, rows: readonly ResultRow[]): readonly RecordEntry[] =>
  sound(rows).map((entry) => ({ ...entry, claim: host }));

/** @returns whether there may be more */
export async function expireRecords(
  { sql }: Reading,
  { now }: StoreInput<"expireRecords">,
): Promise<boolean> {
  const [row = {}] = await sql.query(EXPIRE_RECORDS, [now, STEP]);
  return integer(row, "count") === STEP;
}
