import type { RecordDraft } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HostEntry, RecordEntry, StoreInput, StoreOperations } from "../operations.ts";
import { recordChecksum } from "../sqlite/checksum.ts";
import { PassingFailure, unknownOutcome } from "./failure.ts";
import { integer, nullableInteger, nullableText, type ResultRow, storedText, text } from "./columns.ts";
import type { PostgresContext } from "./context.ts";
import { holderOf } from "./host-entry.ts";
import type { RecordRequests } from "./record-requests.ts";
import {
  ADD_RECORD,
  CLAIM_RECORDS,
  EXPIRE_RECORDS,
  LOOK_AT_RECORD,
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
type Naming = Reading & Pick<PostgresContext, "requests">;
/** A claim is the host's word: the others must know it before. */
type Claiming = Naming & Pick<PostgresContext, "host" | "register">;

type Answer<Name extends keyof StoreOperations> = Promise<ReturnType<StoreOperations[Name]>>;

/** Expired records that one step deletes. */
const STEP = 2_000;

export async function readRecord(
  { sql, lease }: Reading,
  { space, key, now }: StoreInput<"readRecord">,
): Promise<RecordEntry | undefined> {
  const [row] = await sql.query(READ_RECORD, [...placeOf({ space, key }), now, lease.ms]);
  return row && wholeEntry(row, sql.where);
}

/** @throws HostError `store_corrupt` */
function wholeEntry(row: ResultRow, where: string): RecordEntry {
  const entry = soundEntry(row);
  if (entry !== undefined) return entry;
  throw new HostError(
    "store_corrupt",
    `Record ${text(row, "key")} of ${text(row, "space")} in the database ${where} is not what was written. Restore the database from a backup.`,
  );
}

/** A record as a request finds it that has changed nothing. */
interface FoundRecord {
  /** Absent when there is none. */
  readonly entry?: RecordEntry;
  /** The request was carried out before; `last`: nobody has written the record since. */
  readonly mine: "no" | "last" | "earlier";
}

/**
 * Looks at a record that a request could not write. Whoever was faster is committed by now, as another statement sees; and that may
 * have been this request, when its answer was lost.
 *
 * @throws HostError `store_unavailable` when nobody can say any more
 */
async function lookAt(
  { sql, lease }: Reading,
  place: StoreInput<"readRecord">,
  { name, again }: ReturnType<RecordRequests["nameOf"]>,
): Promise<FoundRecord> {
  const [row] = await sql.query(LOOK_AT_RECORD, [...placeOf(place), place.now, lease.ms, name]);
  if (row === undefined) return { mine: "no" };
  const at = integer(row, "place");
  if (again && at === 0 && row["full"] === true) throw unknownOutcome(sql.where);
  const mine = at === 0 ? "no" : at === 1 ? "last" : "earlier";
  return row["alive"] === true ? { mine, entry: wholeEntry(row, sql.where) } : { mine };
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
  const { sql, host, register, requests } = context;
  const { draft, version, now } = request;
  const { claim, ...rest } = draft;
  if (claim === true) await register();
  const named = requests.nameOf(request);
  const values = [
    ...placeOf(draft),
    now,
    ...columnsOf(rest),
    claim === true ? host.id : null,
    checksum(rest),
    named.name,
  ];
  for (;;) {
    const [row] = await (version === undefined || version === 0
      ? sql.query(version === 0 ? ADD_RECORD : PUT_RECORD, values)
      : sql.query(REPLACE_RECORD, [...values, version]));
    if (row !== undefined) {
      if (rest.expiresAt !== undefined && rest.expiresAt <= now)
        return { written: true, entry: unwritten(rest) };
      const stored = { version: integer(row, "version"), position: integer(row, "position") };
      return { written: true, entry: { ...rest, ...stored, ...(claim === true && { claim: host }) } };
    }
    const { mine, entry } = await lookAt(context, { space: rest.space, key: rest.key, now }, named);
    if (mine === "last" && entry !== undefined) return { written: true, entry };
    // Who goes on from the version that it wrote finds that others have gone on since.
    if (mine !== "no")
      return {
        written: true,
        entry: { ...unwritten(rest), version: version === undefined ? 0 : version + 1 },
      };
    // What was in the way of a new one is gone again.
    if (version !== 0 || entry !== undefined) return { written: false, entry: entry ?? unwritten(rest) };
  }
}

const columnsOf = ({ parent, value, dueAt, expiresAt }: RecordDraft): readonly unknown[] => [
  parent === undefined ? null : storedText(parent),
  storedText(value),
  dueAt ?? null,
  expiresAt ?? null,
];

/** The entry of a draft that was not written, or that had expired when it was. */
const unwritten = (draft: Omit<RecordDraft, "claim">): RecordEntry => ({ ...draft, version: 0, position: 0 });

export async function removeRecord(context: Naming, request: StoreInput<"removeRecord">): Promise<boolean> {
  const { sql, requests } = context;
  const { version, ...place } = request;
  const named = requests.nameOf(request);
  const values = [...placeOf(place), place.now, version ?? null, named.name, requests.takeRemoved()];
  const [row] = await sql.query(REMOVE_RECORD, values);
  if (row === undefined) return named.again && (await lookAt(context, place, named)).mine !== "no";
  requests.noteRemoved(integer(row, "position"));
  return true;
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
  { sql, lease, host, register, requests }: Claiming,
  { space, limit, now, dead }: StoreInput<"claimRecords">,
): Answer<"claimRecords"> {
  await register();
  const name = requests.newName();
  const values = [space, limit, now, [...dead], host.id, lease.ms, name, requests.lostClaims(space)];
  const rows = await sql.query(CLAIM_RECORDS, values).catch((thrown: unknown) => {
    if (thrown instanceof PassingFailure && thrown.isUnknown) requests.noteLostClaim(space, name);
    throw thrown;
  });
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
