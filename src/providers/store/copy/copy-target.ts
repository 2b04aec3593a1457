import { HostError } from "../../../shared/errors/host-error.ts";
import { recordChecksum } from "../sqlite/checksum.ts";
import { integer, storedText, text } from "../postgres/columns.ts";
import type { Connections, Sql } from "../postgres/connections.ts";
import { migrate } from "../postgres/schema.ts";
import { statement } from "../postgres/statement.ts";
import { COPY_MARK, type CopyMark, copyMarkDraft, readCopyMark } from "./copy-mark.ts";

/** One copy at a time: "copy" in ASCII. */
const LOCK = 0x636f7079;

const TRY_LOCK = statement("copy_lock", "SELECT pg_try_advisory_xact_lock($1) AS got");
const READ_MARK = statement("copy_read_mark", "SELECT value FROM records WHERE space = $1 AND key = $2");
const IS_USED = statement(
  "copy_is_used",
  `SELECT EXISTS (SELECT 1 FROM sessions) OR EXISTS (SELECT 1 FROM records) OR EXISTS (SELECT 1 FROM blobs)
     OR EXISTS (SELECT 1 FROM hosts) AS used`,
);
/** Its position is below all that are given out. */
const WRITE_MARK = statement(
  "copy_write_mark",
  `INSERT INTO records (position, space, key, value, version, crc) OVERRIDING SYSTEM VALUE VALUES (0, $1, $2, $3, 1, $4)
   ON CONFLICT (space, key) DO UPDATE SET value = excluded.value, crc = excluded.crc, version = records.version + 1`,
);

/** Runs `work` while nobody else copies into the database. @throws HostError `store_unavailable` while somebody does */
export async function aloneInTarget<T>(
  connections: Connections,
  work: (alive: () => Promise<void>) => Promise<T>,
) {
  await migrate(connections);
  return await connections.transaction(async (sql) => {
    const [row] = await sql.query(TRY_LOCK, [LOCK]);
    if (row?.["got"] !== true)
      throw new HostError(
        "store_unavailable",
        `Another \`agent store copy\` writes into the database ${connections.where} now. Wait until it has ended.`,
      );
    return await work(() => sql.execute("SELECT 1"));
  });
}

/**
 * Makes sure that a database is empty, or holds a part of the same home; says that it does from here on.
 *
 * @returns whether it held a part
 * @throws HostError `conflict`
 */
export async function claimTarget(connections: Connections, mark: Omit<CopyMark, "whole">): Promise<boolean> {
  const found = await readMark(connections);
  if (found === undefined) {
    const [row] = await connections.query(IS_USED);
    if (row?.["used"] === true)
      throw new HostError(
        "conflict",
        `The database ${connections.where} is not empty, and what is in it is no part of this copy. Name an empty database.`,
      );
  } else if (found.whole)
    throw new HostError(
      "conflict",
      `The database ${connections.where} holds the whole of ${found.place} already. Nothing was changed: what hosts have written there since would be lost.`,
    );
  else if (found.source !== mark.source)
    throw new HostError(
      "conflict",
      `The database ${connections.where} holds a part of another home, ${found.place}. Name an empty database.`,
    );
  await writeMark(connections, { ...mark, whole: false });
  return found !== undefined;
}

async function readMark(sql: Sql): Promise<CopyMark | undefined> {
  const [row] = await sql.query(READ_MARK, [COPY_MARK.space, COPY_MARK.key]);
  return row && readCopyMark(text(row, "value"));
}

export async function writeMark(sql: Pick<Sql, "query">, mark: CopyMark): Promise<void> {
  const draft = copyMarkDraft(mark);
  const crc = recordChecksum({ ...draft, version: 0 });
  await sql.query(WRITE_MARK, [draft.space, draft.key, storedText(draft.value), crc]);
}

const COUNT = statement("copy_count", "SELECT count(*) AS count FROM sessions WHERE id IS NOT NULL");

/** The number of sessions in a database. */
export async function sessionsIn(sql: Pick<Sql, "query">): Promise<number> {
  const [row = {}] = await sql.query(COUNT);
  return integer(row, "count");
}
