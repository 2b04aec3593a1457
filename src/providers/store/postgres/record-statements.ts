import { HOST_COLUMNS } from "./host-entry.ts";
import { statement } from "./statement.ts";

const COLUMNS = "position, space, key, parent, value, version, due_at, expires_at, claim, request, crc";

/** The conditions and places of records' queries; the first parameters of each are the space, the key and the time. */
const HERE = "space = $1 AND key = $2";
const ALIVE = "(expires_at IS NULL OR expires_at > $3)";

/** A query of records `r` with the hosts that claimed them. */
const withHosts = (records: string, lease: string): string =>
  `SELECT r.*, ${HOST_COLUMNS(lease)} FROM (${records}) r LEFT JOIN hosts h ON h.id = r.claim`;

export const READ_RECORD = statement(
  "read_record",
  withHosts(`SELECT ${COLUMNS} FROM records WHERE ${HERE} AND ${ALIVE}`, "$4"),
);

/**
 * An expired record does not count: its place is free. The insertion reads what was deleted, and so comes after it.
 *
 * $4 parent, $5 value, $6 due, $7 expires, $8 claim, $9 checksum, $10 request
 */
const INSERT = `
  WITH expired AS (
    DELETE FROM records WHERE ${HERE} AND expires_at <= $3 RETURNING 1
  )
  INSERT INTO records (space, key, parent, value, version, due_at, expires_at, claim, crc, request)
  SELECT $1, $2, $4, $5, 1, $6::bigint, $7::bigint, $8, $9::bigint, $10 FROM (SELECT count(*) FROM expired) AS freed
  ON CONFLICT (space, key)
`;
const WRITTEN = "RETURNING position, version";

export const ADD_RECORD = statement("add_record", `${INSERT} DO NOTHING ${WRITTEN}`);

export const PUT_RECORD = statement(
  "put_record",
  `${INSERT} DO UPDATE SET parent = excluded.parent, value = excluded.value, version = records.version + 1,
     due_at = excluded.due_at, expires_at = excluded.expires_at, claim = excluded.claim, crc = excluded.crc,
     request = excluded.request
   WHERE records.request <> excluded.request RETURNING records.position, records.version`,
);

/** $11 the version that it must have. */
export const REPLACE_RECORD = statement(
  "replace_record",
  `UPDATE records SET parent = $4, value = $5, version = version + 1, due_at = $6, expires_at = $7, claim = $8, crc = $9,
     request = $10
   WHERE ${HERE} AND ${ALIVE} AND version = $11 ${WRITTEN}`,
);

/** $4 the version that it must have, if any. */
export const REMOVE_RECORD = statement(
  "remove_record",
  `DELETE FROM records WHERE ${HERE} AND ${ALIVE} AND ($4::bigint IS NULL OR version = $4) RETURNING 1`,
);

/** $4 the new time. */
export const RENEW_RECORD = statement(
  "renew_record",
  `UPDATE records SET expires_at = $4 WHERE ${HERE} AND ${ALIVE} RETURNING 1`,
);

/** Records of a space, $1, at $2, by the other conditions: $3 records at most, with the lease $4. */
export const recordList = (conditions: readonly string[], order: "ASC" | "DESC"): string => `
  ${withHosts(
    `SELECT ${COLUMNS} FROM records
     WHERE space = $1 AND (expires_at IS NULL OR expires_at > $2)${conditions.map((each) => ` AND ${each}`).join("")}
     ORDER BY position ${order} LIMIT $3`,
    "$4",
  )}
  ORDER BY r.position ${order}`;

/**
 * $1 space, $2 how many to keep. They are chosen first and locked then, in one order: a limit over locked rows would take others in
 * place of those that another host has just trimmed.
 */
export const TRIM_RECORDS = statement(
  "trim_records",
  `
  WITH oldest AS MATERIALIZED (
    SELECT position FROM records WHERE space = $1 AND expires_at IS NOT NULL ORDER BY expires_at, position
    LIMIT greatest((SELECT count(*) FROM records WHERE space = $1) - $2::bigint, 0)
  ), locked AS MATERIALIZED (
    SELECT r.position FROM oldest JOIN records r USING (position) ORDER BY r.position FOR UPDATE OF r
  ), gone AS (
    DELETE FROM records r USING locked l WHERE r.position = l.position RETURNING 1
  )
  SELECT count(*) AS count FROM gone
  `,
);

/**
 * Due records of a space that nobody works on, or only one of the dead, become the host's; then the hosts that work on the
 * others. What another host is just claiming is left to it. A host that the others do not know claims nothing.
 *
 * $1 space, $2 how many, $3 now, $4 the dead, $5 host, $6 lease, $7 request
 */
export const CLAIM_RECORDS = statement(
  "claim_records",
  `
  WITH due AS MATERIALIZED (
    SELECT position, claim FROM records
    WHERE space = $1 AND due_at <= $3 AND (expires_at IS NULL OR expires_at > $3)
      AND (claim IS NULL OR claim = ANY ($4::text[])) AND EXISTS (SELECT 1 FROM hosts WHERE id = $5 AND NOT ended)
    ORDER BY due_at, position LIMIT $2 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE records r SET claim = $5, request = $7 FROM due WHERE r.position = due.position RETURNING r.*
  ), others AS (
    SELECT DISTINCT claim FROM records
    WHERE space = $1 AND due_at <= $3 AND (expires_at IS NULL OR expires_at > $3)
      AND claim <> $5 AND claim <> ALL ($4::text[])
  ), answer AS (
    SELECT ${COLUMNS} FROM claimed
    UNION ALL
    SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, claim, NULL, NULL FROM others
  )
  SELECT r.*, ${HOST_COLUMNS("$6")} FROM answer r LEFT JOIN hosts h ON h.id = r.claim ORDER BY r.due_at, r.position
  `,
);

/** What a claim whose answer was lost has claimed. $1 host, $2 request. */
export const CLAIMED_RECORDS = statement(
  "claimed_records",
  `SELECT ${COLUMNS} FROM records WHERE claim = $1 AND request = $2 ORDER BY due_at, position`,
);

/** $1 now, $2 how many at most. */
export const EXPIRE_RECORDS = statement(
  "expire_records",
  `
  WITH old AS MATERIALIZED (
    SELECT position FROM records WHERE expires_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED
  ), gone AS (
    DELETE FROM records r USING old WHERE r.position = old.position RETURNING 1
  )
  SELECT count(*) AS count FROM gone
  `,
);
