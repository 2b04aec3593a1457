import type { RecordDraft } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { recordChecksum } from "../sqlite/checksum.ts";
import { integer, nullableInteger, nullableText, storedText, text } from "../postgres/columns.ts";
import type { Sql } from "../postgres/connections.ts";
import { statement } from "../postgres/statement.ts";
import { COPY_MARK } from "./copy-mark.ts";
import type { SourceFeedEntry, SourceHome, SourceRecord } from "./source-home.ts";

const PAGE = 1000;

const CLEAR = statement("copy_clear_records", "DELETE FROM records WHERE space <> $1");
const ADD = statement(
  "copy_records",
  `INSERT INTO records (position, space, key, parent, value, version, due_at, expires_at, crc) OVERRIDING SYSTEM VALUE
   SELECT * FROM json_to_recordset($1::json) AS r (position bigint, space text, key text, parent text, value text,
     version bigint, due_at bigint, expires_at bigint, crc bigint)`,
);
const READ = statement(
  "copy_read_records",
  `SELECT position, space, key, parent, value, version, due_at, expires_at, crc FROM records
   WHERE position > $1 ORDER BY position LIMIT $2`,
);
const GO_ON = statement(
  "copy_record_positions",
  "SELECT setval(pg_get_serial_sequence('records', 'position'), greatest($1::bigint, 1))",
);

/**
 * Copies all records, and the given ones behind them, as one.
 *
 * @returns their number
 */
export async function copyRecords(
  {
    source,
    now,
    more,
  }: { readonly source: SourceHome; readonly now: number; readonly more: readonly RecordDraft[] },
  sql: Sql,
): Promise<number> {
  await sql.query(CLEAR, [COPY_MARK.space]);
  let count = 0;
  let after = 0;
  for (;;) {
    const records = source.records(after, PAGE, now);
    await addRecords(records, sql);
    count += records.length;
    after = records.at(-1)?.position ?? after;
    if (records.length < PAGE) break;
  }
  const last = Math.max(after, source.lastPositions().records);
  const added = more.map((draft, index) => ({ ...draft, position: last + 1 + index, version: 1 }));
  for (let from = 0; from < added.length; from += PAGE) await addRecords(added.slice(from, from + PAGE), sql);
  await sql.query(GO_ON, [last + added.length]);
  return count + added.length;
}

async function addRecords(records: readonly SourceRecord[], sql: Sql): Promise<void> {
  const [first] = records;
  if (first === undefined) return;
  const values = records.map((record) => {
    const { position, space, key, parent, value, version, dueAt, expiresAt } = record;
    return {
      position,
      space: storedText(space),
      key: storedText(key),
      parent: parent === undefined ? null : storedText(parent),
      value: storedText(value),
      version,
      due_at: dueAt ?? null,
      expires_at: expiresAt ?? null,
      // The database counts the versions: there the checksum leaves them out.
      crc: recordChecksum({ ...record, version: 0 }),
    };
  });
  await sql.query(ADD, [JSON.stringify(values)]);
  const written = await sql.query(READ, [first.position - 1, records.length]);
  const isSound = records.every((record, index) => {
    const row = written[index];
    if (row === undefined) return false;
    const read = {
      space: text(row, "space"),
      key: text(row, "key"),
      value: text(row, "value"),
      version: 0,
      ...(nullableText(row, "parent") === undefined ? {} : { parent: text(row, "parent") }),
    };
    return (
      integer(row, "position") === record.position &&
      integer(row, "version") === record.version &&
      nullableInteger(row, "due_at") === record.dueAt &&
      nullableInteger(row, "expires_at") === record.expiresAt &&
      recordChecksum(read) === row["crc"] &&
      recordChecksum({ ...record, version: 0 }) === row["crc"]
    );
  });
  if (!isSound) throw notArrived("Records");
}

const CLEAR_FEED = statement("copy_clear_feed", "DELETE FROM feed");
const ADD_FEED = statement(
  "copy_feed",
  `INSERT INTO feed (position, session, seq, at)
   SELECT f.position, s.key, f.seq, f.at
   FROM json_to_recordset($1::json) AS f (position bigint, session text, seq bigint, at bigint)
     JOIN sessions s ON s.id = f.session ORDER BY f.position
   RETURNING position`,
);
const GO_ON_FEED = statement(
  "copy_feed_positions",
  "SELECT setval('feed_positions', greatest($1::bigint, 1), $1::bigint > 0)",
);

/** Copies the feed with its positions, as one: who follows it goes on where they were. */
export async function copyFeed(source: SourceHome, sql: Sql): Promise<number> {
  await sql.query(CLEAR_FEED);
  let count = 0;
  let after = 0;
  for (;;) {
    const entries = source.feed(after, PAGE);
    const written =
      entries.length === 0 ? [] : await sql.query(ADD_FEED, [JSON.stringify(entries.map(stored))]);
    if (written.length !== entries.length) throw notArrived("Entries of the feed");
    count += entries.length;
    after = entries.at(-1)?.position ?? after;
    if (entries.length < PAGE) break;
  }
  await sql.query(GO_ON_FEED, [Math.max(after, source.lastPositions().feed)]);
  return count;
}

const stored = (entry: SourceFeedEntry): SourceFeedEntry => ({
  ...entry,
  session: storedText(entry.session),
});

const notArrived = (what: string): HostError =>
  new HostError(
    "store_corrupt",
    `${what} did not arrive as they were sent. Nothing of them was kept: look at the database's log, then run the copy again.`,
  );
