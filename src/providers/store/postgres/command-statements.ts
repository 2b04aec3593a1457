import { HOST_COLUMNS } from "./host-entry.ts";
import { statement } from "./statement.ts";

/**
 * Commands of one host, $1 as a JSON array, in the order in which they were sent; those whose session nobody holds are not stored.
 * Their sessions stay as they are until then: one that is just removed would take the others' commands with it. $2 lease.
 */
export const SEND = statement(
  "send",
  `
  WITH asked AS MATERIALIZED (
    SELECT * FROM json_to_recordset($1::json) AS c (
      i int, id text, session text, kind text, payload text, deadline bigint)
  ), target AS MATERIALIZED (
    SELECT a.*, s.key, s.host FROM asked a JOIN sessions s ON s.id = a.session WHERE s.host IS NOT NULL FOR KEY SHARE OF s
  ), sent AS (
    INSERT INTO commands (id, session, kind, payload, deadline)
    SELECT id, key, kind, payload, deadline FROM target ORDER BY i
    ON CONFLICT (id) DO NOTHING
  )
  SELECT t.i, t.host AS holder, ${HOST_COLUMNS("$2")} FROM target t LEFT JOIN hosts h ON h.id = t.host
  `,
);

/**
 * In the place of a command that nobody was there for when it was asked for again, so that the try before, which may still be on its
 * way, stores it no more. Nothing where that try has stored it, for which this waits: no command has an empty payload. $1 id, $2 session,
 * $3 kind, $4 deadline, $5 its answer.
 */
export const KEEP_OUT = statement(
  "keep_out_command",
  `
  INSERT INTO commands (id, session, kind, payload, deadline, ok, result)
  SELECT $1, s.key, $3, '', $4::bigint, false, $5 FROM sessions s WHERE s.id = $2
  ON CONFLICT (id) DO UPDATE SET deadline = excluded.deadline WHERE commands.payload = '' RETURNING 1
  `,
);

/**
 * The answer to a command that was withdrawn in the meantime is dropped. One that was given back is carried out by who has its
 * session. $1 answers as a JSON array, $2 this host.
 */
export const ANSWER = statement(
  "answer",
  `
  UPDATE commands c SET ok = a.ok, result = a.body, taken = $2
  FROM json_to_recordset($1::json) AS a (id text, ok bool, body text)
  WHERE c.id = a.id AND c.ok IS NULL AND (c.taken = $2 OR (c.taken IS NULL AND EXISTS (
    SELECT 1 FROM sessions s WHERE s.key = c.session AND s.host = $2)))
  RETURNING c.id
  `,
);

/** $1 command, $2 lease. */
export const ANSWERER = statement(
  "answerer",
  `
  SELECT coalesce(c.taken, s.host) AS answerer, ${HOST_COLUMNS("$2")}
  FROM commands c LEFT JOIN sessions s ON s.key = c.session LEFT JOIN hosts h ON h.id = coalesce(c.taken, s.host)
  WHERE c.id = $1
  `,
);

/** $1 command, $2 the host from which it is taken back, if any, $3 forced. */
export const WITHDRAW = statement(
  "withdraw",
  `
  WITH found AS MATERIALIZED (
    SELECT c.position, c.ok, c.result, coalesce(c.taken, s.host) AS answerer
    FROM commands c LEFT JOIN sessions s ON s.key = c.session WHERE c.id = $1 FOR UPDATE OF c
  ), gone AS (
    DELETE FROM commands c USING found f
    WHERE c.position = f.position AND (f.ok IS NOT NULL OR $3::bool OR f.answerer IS NULL OR f.answerer = $2)
    RETURNING 1
  )
  SELECT ok, result, NOT EXISTS (SELECT 1 FROM gone) AS open FROM found
  `,
);

/**
 * The commands to sessions of the host $1, and those that the request $2 has taken already: its answer was lost. One that somebody is
 * just taking back is waited for, not skipped: the next ones must not overtake it.
 */
export const TAKE = statement(
  "take_commands",
  `
  WITH waiting AS MATERIALIZED (
    SELECT c.position, s.id AS session FROM commands c JOIN sessions s ON s.key = c.session
    WHERE s.host = $1 AND s.id IS NOT NULL AND c.taken IS NULL AND c.ok IS NULL
    ORDER BY c.position FOR UPDATE OF c
  ), taken AS (
    UPDATE commands c SET taken = $1, request = $2 FROM waiting w WHERE c.position = w.position
    RETURNING c.position, c.id, w.session, c.kind, c.payload, c.deadline
  )
  SELECT * FROM taken
  UNION ALL
  SELECT c.position, c.id, s.id, c.kind, c.payload, c.deadline FROM commands c JOIN sessions s ON s.key = c.session
  WHERE c.taken = $1 AND c.ok IS NULL AND c.request = $2 AND s.id IS NOT NULL
  ORDER BY position
  `,
);

/** Those of the commands $1 that are answered, or have no host to answer them. */
export const SETTLED = statement(
  "settled_commands",
  `
  SELECT w.id FROM unnest($1::text[]) AS w (id)
    LEFT JOIN commands c ON c.id = w.id LEFT JOIN sessions s ON s.key = c.session
  WHERE c.id IS NULL OR c.ok IS NOT NULL OR coalesce(c.taken, s.host) IS NULL
  `,
);

/** $1 the last deadline that is too long ago. */
export const SWEEP_COMMANDS = statement("sweep_commands", "DELETE FROM commands WHERE deadline < $1");
