import { HOST_COLUMNS } from "./host-entry.ts";
import { statement } from "./statement.ts";

const COLUMNS = "position, space, key, parent, value, version, due_at, expires_at, claim, request, crc";

/** The conditions and places of records' queries; the first parameters of each are the space, the key and the time. */
const HERE = "space = $1 AND key = $2";
const ALIVE = "(expires_at IS NULL OR expires_at > $3)";

/** Characters of the names that a record keeps behind the newest one: those of half a dozen requests. */
const NAMES_KEPT = 240;

/** The names of the requests that wrote a record, with a new one before them: `;newest;older;`. What is cut is no name any more. */
const named = (name: string, before: string): string =>
  `concat(';', ${name}::text, CASE WHEN ${before} LIKE ';%' THEN left(${before}, ${NAMES_KEPT}) ELSE ';' END)`;

/** Whether a request is not among those that wrote a record. */
const isNew = (name: string): string => `position(concat(';', ${name}::text, ';') in records.request) = 0`;

/** A query of records `r` with the hosts that claimed them. */
const withHosts = (records: string, lease: string): string =>
  `SELECT r.*, ${HOST_COLUMNS(lease)} FROM (${records}) r LEFT JOIN hosts h ON h.id = r.claim`;

export const READ_RECORD = statement(
  "read_record",
  withHosts(`SELECT ${COLUMNS} FROM records WHERE ${HERE} AND ${ALIVE}`, "$4"),
);

/**
 * A record with the names of those who wrote it, also one that has expired or was removed. $3 the time, $4 the lease, $5 a request.
 * `full`: older names are cut off.
 */
export const LOOK_AT_RECORD = statement(
  "look_at_record",
  `SELECT r.*, (r.expires_at IS NULL OR r.expires_at > $3) AS alive,
     position(concat(';', $5::text, ';') in r.request) AS place, length(r.request) > ${NAMES_KEPT} AS full, ${HOST_COLUMNS("$4")}
   FROM (SELECT ${COLUMNS} FROM records WHERE ${HERE}) r LEFT JOIN hosts h ON h.id = r.claim`,
);

/**
 * An expired record does not count: its place is free, unless this request wrote it. The insertion reads what was deleted, and so comes
 * after it.
 *
 * $4 parent, $5 value, $6 due, $7 expires, $8 claim, $9 checksum, $10 request
 */
const INSERT = `
  WITH expired AS (
    DELETE FROM records WHERE ${HERE} AND expires_at <= $3 AND ${isNew("$10")} RETURNING request
  )
  INSERT INTO records (space, key, parent, value, version, due_at, expires_at, claim, crc, request)
  SELECT $1, $2, $4, $5, 1, $6::bigint, $7::bigint, $8, $9::bigint, ${named("$10", "freed.request")}
  FROM (SELECT max(request) AS request FROM expired) AS freed
  ON CONFLICT (space, key)
`;
const WRITTEN = "RETURNING position, version";

export const ADD_RECORD = statement("add_record", `${INSERT} DO NOTHING ${WRITTEN}`);

export const PUT_RECORD = statement(
  "put_record",
  `${INSERT} DO UPDATE SET parent = excluded.parent, value = excluded.value, version = records.version + 1,
     due_at = excluded.due_at, expires_at = excluded.expires_at, claim = excluded.claim, crc = excluded.crc,
     request = ${named("$10", "records.request")}
   WHERE ${isNew("$10")} RETURNING records.position, records.version`,
);

/** $11 the version that it must have. */
export const REPLACE_RECORD = statement(
  "replace_record",
  `UPDATE records SET parent = $4, value = $5, version = version + 1, due_at = $6, expires_at = $7, claim = $8, crc = $9,
     request = ${named("$10", "request")}
   WHERE ${HERE} AND ${ALIVE} AND version = $11 AND ${isNew("$10")} ${WRITTEN}`,
);

/**
 * What was removed stays as a record that has expired long ago, for who asks again because the answer was lost: until that host removes
 * another one, $6. $4 the version that it must have, if any, $5 request.
 */
export const REMOVE_RECORD = statement(
  "remove_record",
  `
  WITH answered AS (
    DELETE FROM records WHERE position = ANY ($6::bigint[]) AND expires_at = 0
  )
  UPDATE records SET parent = NULL, value = '', due_at = NULL, expires_at = 0, claim = NULL, crc = 0,
    request = ${named("$5", "request")}
  WHERE ${HERE} AND ${ALIVE} AND ($4::bigint IS NULL OR version = $4) AND ${isNew("$5")}
  RETURNING position
  `,
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
 * others. What another host is just claiming is left to it, and what the host itself claimed without hearing of it is given out. A host
 * that the others do not know claims nothing.
 *
 * $1 space, $2 how many, $3 now, $4 the dead, $5 host, $6 lease, $7 request, $8 requests of the host whose answers were lost
 */
export const CLAIM_RECORDS = statement(
  "claim_records",
  `
  WITH due AS MATERIALIZED (
    SELECT position, claim FROM records
    WHERE space = $1 AND due_at <= $3 AND (expires_at IS NULL OR expires_at > $3)
      AND (claim IS NULL OR claim = ANY ($4::text[]) OR (claim = $5 AND split_part(request, ';', 2) = ANY ($8::text[])))
      AND EXISTS (SELECT 1 FROM hosts WHERE id = $5 AND NOT ended)
    ORDER BY due_at, position LIMIT $2 FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE records r SET claim = $5, request = ${named("$7", "r.request")} FROM due WHERE r.position = due.position RETURNING r.*
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
