import type { RecordDraft } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { RecordEntry, StoreInput, StoreOperations } from "../operations.ts";
import { recordChecksum } from "../sqlite/checksum.ts";
import { integer, nullableInteger, nullableText, type ResultRow, storedText, text } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { holderOf } from "./host-entry.ts";
import {
  ADD_RECORD,
  CLAIM_RECORDS,
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

export async function readRecord(
  { sql, lease }: Reading,
  { space, key, now }: StoreInput<"readRecord">,
): Promise<RecordEntry | undefined> {
  const [row] = await sql.query(READ_RECORD, [...placeOf({ space, key }), now, lease.ms]);
  if (row === undefined) return undefined;
  const entry = soundEntry(row);
  if (entry !== undefined) return entry;
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
  { draft, version, now }: StoreInput<"writeRecord">,
): Answer<"writeRecord"> {
  const { sql, host, register } = context;
  const { claim, ...rest } = draft;
  if (claim === true) await register();
  const { space, key, parent, value, dueAt, expiresAt } = rest;
  const values = [
    ...placeOf(draft),
    now,
    parent === undefined ? null : storedText(parent),
    storedText(value),
    dueAt ?? null,
    expiresAt ?? null,
    claim === true ? host.id : null,
    checksum(rest),
  ];
  const [row] = await (version === undefined || version === 0
    ? sql.query(version === 0 ? ADD_RECORD : PUT_RECORD, values)
    : sql.query(REPLACE_RECORD, [...values, version]));
  // Whoever was faster is committed by now, as another statement sees.
  if (row === undefined)
    return { written: false, entry: (await readRecord(context, { space, key, now })) ?? unwritten(rest) };
  if (expiresAt !== undefined && expiresAt <= now) return { written: true, entry: unwritten(rest) };
  const stored = { version: integer(row, "version"), position: integer(row, "position") };
  return { written: true, entry: { ...rest, ...stored, ...(claim === true && { claim: host }) } };
}

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
  { sql, lease, host, register }: Claiming,
  { space, limit, now, dead }: StoreInput<"claimRecords">,
): Answer<"claimRecords"> {
  await register();
  const rows = await sql.query(CLAIM_RECORDS, [storedText(space), limit, now, [...dead], host.id, lease.ms]);
  const claimed = rows.filter((row) => row["position"] !== null);
  const others = rows.filter((row) => row["position"] === null);
  return {
    entries: sound(claimed).map((entry) => ({ ...entry, claim: host })),
    holders: others.flatMap((row) => holderOf(row, "claim") ?? []),
  };
}

/** @returns whether there may be more */
export async function expireRecords(
  { sql }: Reading,
  { now }: StoreInput<"expireRecords">,
): Promise<boolean> {
  const [row = {}] = await sql.query(EXPIRE_RECORDS, [now, STEP]);
  return integer(row, "count") === STEP;
}
