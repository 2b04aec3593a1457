import { statement } from "./statement.ts";

/**
 * The statement of a turn: it decides about appends to several sessions and carries out those that may go on, as one.
 *
 * $1 host, $2 appends, $3 rows, $4 pieces, $5 states, $6 blobs, $7 answers to commands; each a JSON array, whose `i` says to
 * which append it belongs. $8 the epoch that the host knows of. Sessions are locked in the order of their keys, so that no two hosts wait for each other.
 *
 * PostgreSQL reads a part that only locks when another part asks for it: `here`, `there` and `wanted` are locked when the decision comes
 * to their branch, so that an append that is refused before waits for nothing of them.
 */
export const APPEND = statement(
  "append",
  `
  WITH asked AS MATERIALIZED (
    SELECT * FROM json_to_recordset($2::json) AS a (
      i int, id text, asked_fence bigint, after_n int, after_seq bigint, end_seq bigint, end_crc bigint, again bool,
      unheard bool, release bool, clear bool, reserve bigint)
  ), found AS MATERIALIZED (
    SELECT a.*, s.key, s.n, s.seq, s.host, s.fence
    FROM asked a JOIN sessions s ON s.id = a.id
    ORDER BY s.key FOR UPDATE OF s
  ), here AS MATERIALIZED (
    -- Whoever gives back what this host holds waits until it is seen what it takes now.
    SELECT id FROM hosts WHERE id = $1 AND NOT ended FOR KEY SHARE
  ), there AS MATERIALIZED (
    -- Who deletes a blob holds its row: it is gone by now, or stays until it is named.
    SELECT hash FROM blobs WHERE hash IN (SELECT n.hash FROM json_to_recordset($6::json) AS n (hash text))
    ORDER BY hash FOR KEY SHARE
  ), wanted AS MATERIALIZED (
    -- Who takes a command back holds its row: it is gone by now, or its sender gets the answer.
    SELECT id FROM commands
    WHERE (taken = $1 OR taken IS NULL) AND id IN (SELECT r.id FROM json_to_recordset($7::json) AS r (id text))
    ORDER BY position FOR UPDATE
  ), withdrawn AS MATERIALIZED (
    SELECT r.i, json_agg(r.id) AS ids FROM json_to_recordset($7::json) AS r (i int, id text)
    WHERE NOT EXISTS (SELECT 1 FROM wanted w WHERE w.id = r.id) GROUP BY r.i
  ), judged AS MATERIALIZED (
    SELECT f.*, CASE
      -- Its answer was lost: the row at its end is the one that it wrote.
      WHEN again AND end_crc IS NOT NULL AND EXISTS (
        SELECT 1 FROM rows r WHERE r.session = f.key AND r.seq = f.end_seq AND r.crc = f.end_crc) THEN 'done'
      WHEN again AND end_crc IS NULL AND release AND host IS DISTINCT FROM $1 THEN 'done'
      -- A lease that it took without a row is this host's and unheard of: it is taken once more.
      WHEN asked_fence IS NULL AND host = $1 AND NOT (unheard AND end_crc IS NULL) THEN 'fenced'
      WHEN asked_fence IS NULL AND host <> $1 THEN 'owned'
      WHEN asked_fence IS NOT NULL AND (host IS DISTINCT FROM $1 OR fence <> asked_fence) THEN 'fenced'
      WHEN n <> after_n OR seq <> after_seq THEN 'moved'
      -- Text before this may be gone: who holds the lease has it, and saves it again first.
      WHEN asked_fence IS NOT NULL AND NOT EXISTS (SELECT 1 FROM epoch_marks WHERE number = $8::int) THEN 'crashed'
      WHEN EXISTS (
        SELECT 1 FROM json_to_recordset($6::json) AS n (i int, hash text)
        WHERE n.i = f.i AND NOT EXISTS (SELECT 1 FROM there t WHERE t.hash = n.hash)) THEN 'no blob'
      WHEN end_crc IS NOT NULL AND EXISTS (SELECT 1 FROM withdrawn w WHERE w.i = f.i) THEN 'withdrawn'
      -- An append that gives the lease back in the same transaction needs none: nobody can come in between.
      WHEN asked_fence IS NOT NULL OR release THEN 'go'
      WHEN NOT EXISTS (SELECT 1 FROM here) THEN 'unknown host'
      ELSE 'take'
    END AS decision
    FROM found f
  ), going AS MATERIALIZED (
    SELECT i, key, decision, release, clear, reserve,
      CASE WHEN decision = 'take' THEN nextval('fences') ELSE fence END AS fence
    FROM judged WHERE decision IN ('go', 'take')
  ), added AS (
    INSERT INTO rows (session, seq, n, at, type, mid, body, crc)
    SELECT g.key, r.seq, r.n, r.at, r.type, r.mid, r.body, r.crc
    FROM json_to_recordset($3::json) AS r (i int, seq bigint, n int, at bigint, type text, mid bool, body text, crc bigint)
      JOIN going g USING (i)
  ), fed AS (
    INSERT INTO feed (session, seq, at)
    SELECT g.key, r.seq, r.at
    FROM json_to_recordset($3::json) AS r (i int, seq bigint, at bigint, fed bool) JOIN going g USING (i)
    WHERE r.fed ORDER BY r.seq
  ), cleared AS (
    DELETE FROM pieces p USING going g WHERE p.session = g.key AND g.clear
  ), kept AS (
    UPDATE pieces p SET fence = g.fence FROM going g WHERE p.session = g.key AND g.decision = 'take' AND NOT g.clear
  ), saved AS (
    INSERT INTO pieces (session, fence, "cursor", kind, text)
    SELECT g.key, g.fence, p.cursor, p.kind, p.text
    FROM json_to_recordset($4::json) AS p (i int, "cursor" bigint, kind text, text text) JOIN going g USING (i)
    ON CONFLICT DO NOTHING
  ), stated AS (
    UPDATE states t SET version = u.version, body = u.body, crc = u.crc
    FROM json_to_recordset($5::json) AS u (i int, version int, body text, crc bigint) JOIN going g USING (i)
    WHERE t.session = g.key
  ), noted AS (
    UPDATE sessions s SET
      host = CASE WHEN g.release THEN NULL ELSE $1 END, fence = g.fence, reserved = greatest(s.reserved, g.reserve),
      n = coalesce(u.n, s.n), seq = coalesce(u.seq, s.seq), active_at = coalesce(u.active_at, s.active_at),
      -- The mark of a subagent's session never changes after it is made.
      marks = coalesce(u.marks | (s.marks & 1), s.marks), platform = coalesce(u.platform, s.platform),
      source = coalesce(u.source, s.source), cwd = coalesce(u.cwd, s.cwd), title = coalesce(u.title, s.title),
      words = coalesce(u.words, s.words), waiting = coalesce(u.waiting, s.waiting), doing = coalesce(u.doing, s.doing),
      "user" = coalesce(u.user, s."user"), people = coalesce(u.people, s.people)
    FROM going g LEFT JOIN json_to_recordset($5::json) AS u (
      i int, n int, seq bigint, active_at bigint, marks int, platform text, source text, cwd text, title text, words text,
      waiting int, doing text, "user" text, people text) USING (i)
    WHERE s.key = g.key
  ), named AS (
    INSERT INTO blob_refs (hash, session)
    SELECT b.hash, g.key FROM json_to_recordset($6::json) AS b (i int, hash text) JOIN going g USING (i)
    ON CONFLICT DO NOTHING
  ), unclaimed AS (
    UPDATE blob_claims c SET count = c.count - b.count
    FROM (
      SELECT b.hash, count(*) AS count FROM json_to_recordset($6::json) AS b (i int, hash text) JOIN going g USING (i)
      GROUP BY b.hash
    ) b
    WHERE c.hash = b.hash AND c.host = $1
  ), answered AS (
    -- Who holds the session carries its commands out, also one that was given back in the meantime: it must not come again.
    UPDATE commands c SET ok = a.ok, result = a.body, taken = $1
    FROM json_to_recordset($7::json) AS a (i int, id text, ok bool, body text) JOIN going g USING (i)
    WHERE c.id = a.id AND c.ok IS NULL AND (c.taken = $1 OR c.taken IS NULL)
  )
  SELECT j.i, j.decision, j.key, j.host, CASE WHEN j.decision <> 'done' OR j.host = $1 THEN coalesce(g.fence, j.fence) END AS fence,
    -- Without a row nobody can say whether the one before was answered, when it is asked for again.
    CASE WHEN end_crc IS NOT NULL OR NOT again THEN (SELECT ids FROM withdrawn w WHERE w.i = j.i) END AS withdrawn,
    -- Somebody may have sent one to who held it before.
    j.decision = 'take' AND EXISTS (
      SELECT 1 FROM commands c WHERE c.session = j.key AND c.taken IS NULL AND c.ok IS NULL) AS commands
  FROM judged j LEFT JOIN going g USING (i)
  `,
);

/**
 * Before an append that is asked for again: the one before may still be under way in the database, and only a statement that begins
 * after its end sees the rows that it wrote. $1 sessions.
 */
export const HOLD = statement(
  "hold",
  "SELECT key FROM sessions WHERE id = ANY ($1::text[]) ORDER BY key FOR UPDATE",
);

/**
 * Makes a session with its first rows, and its lease unless that is given back at once. $1 host, $2 the append with the
 * session's columns, $3 to $7 as above.
 */
export const BEGIN = statement(
  "begin",
  `
  WITH asked AS (
    SELECT * FROM json_to_record($2::json) AS a (
      id text, n int, seq bigint, release bool, reserve bigint, version int, body text, crc bigint, active_at bigint, marks int,
      platform text, source text, cwd text, title text, words text, waiting int, doing text, "user" text, people text)
  ), here AS MATERIALIZED (
    SELECT id FROM hosts WHERE id = $1 AND NOT ended FOR KEY SHARE
  ), there AS MATERIALIZED (
    SELECT hash FROM blobs WHERE hash IN (SELECT n.hash FROM json_to_recordset($5::json) AS n (hash text))
    ORDER BY hash FOR KEY SHARE
  ), missing AS MATERIALIZED (
    SELECT n.hash FROM json_to_recordset($5::json) AS n (hash text)
    WHERE NOT EXISTS (SELECT 1 FROM there t WHERE t.hash = n.hash)
  ), made AS (
    INSERT INTO sessions (id, n, seq, host, fence, reserved, active_at, marks, platform, source, cwd, title, words, waiting,
      doing, "user", people)
    SELECT id, n, seq, CASE WHEN release THEN NULL ELSE $1 END, nextval('fences'), reserve, active_at, marks, platform, source,
      cwd, title, words, waiting, doing, "user", people
    FROM asked
    WHERE (release OR EXISTS (SELECT 1 FROM here)) AND NOT EXISTS (SELECT 1 FROM missing)
    ON CONFLICT (id) DO NOTHING
    RETURNING key, fence
  ), stated AS (
    INSERT INTO states (session, version, body, crc) SELECT m.key, a.version, a.body, a.crc FROM made m, asked a
  ), added AS (
    INSERT INTO rows (session, seq, n, at, type, mid, body, crc)
    SELECT m.key, r.seq, r.n, r.at, r.type, r.mid, r.body, r.crc
    FROM json_to_recordset($3::json) AS r (seq bigint, n int, at bigint, type text, mid bool, body text, crc bigint), made m
  ), fed AS (
    INSERT INTO feed (session, seq, at)
    SELECT m.key, r.seq, r.at FROM json_to_recordset($3::json) AS r (seq bigint, at bigint, fed bool), made m
    WHERE r.fed ORDER BY r.seq
  ), saved AS (
    INSERT INTO pieces (session, fence, "cursor", kind, text)
    SELECT m.key, m.fence, p.cursor, p.kind, p.text
    FROM json_to_recordset($4::json) AS p ("cursor" bigint, kind text, text text), made m
  ), named AS (
    INSERT INTO blob_refs (hash, session)
    SELECT DISTINCT b.hash, m.key FROM json_to_recordset($5::json) AS b (hash text), made m
  ), unclaimed AS (
    UPDATE blob_claims c SET count = c.count - b.count
    FROM (SELECT hash, count(*) AS count FROM json_to_recordset($5::json) AS b (hash text) GROUP BY hash) b, made
    WHERE c.hash = b.hash AND c.host = $1
  ), answered AS (
    UPDATE commands c SET ok = a.ok, result = a.body
    FROM json_to_recordset($6::json) AS a (id text, ok bool, body text), made
    WHERE c.id = a.id AND c.ok IS NULL AND c.taken = $1
  )
  SELECT m.key, m.fence, EXISTS (SELECT 1 FROM missing) AS blobless, EXISTS (SELECT 1 FROM here) AS known,
    (SELECT r.crc FROM sessions s JOIN rows r ON r.session = s.key WHERE s.id = a.id AND r.seq = a.seq) AS there,
    (SELECT s.key FROM sessions s WHERE s.id = a.id) AS there_key,
    (SELECT s.fence FROM sessions s WHERE s.id = a.id AND s.host = $1) AS there_fence
  FROM asked a LEFT JOIN made m ON true
  `,
);

/** Saves streamed text of several sessions, under the leases that hold them. $1 host, $2 pieces as a JSON array, $3 the epoch. */
export const SAVE_PIECES = statement(
  "save_pieces",
  `
  WITH unsynced AS MATERIALIZED (
    -- For this transaction alone: a connection keeps nothing of it.
    SELECT set_config('synchronous_commit', 'off', true)
  ), asked AS MATERIALIZED (
    SELECT p.* FROM unsynced, json_to_recordset($2::json) AS p (
      i int, key bigint, fence bigint, n int, seq bigint, "cursor" bigint, kind text, text text)
  ), sound AS MATERIALIZED (
    SELECT a.* FROM asked a JOIN sessions s ON s.key = a.key
    WHERE s.host = $1 AND s.fence = a.fence AND s.n = a.n AND s.seq = a.seq
      AND EXISTS (SELECT 1 FROM epoch_marks WHERE number = $3::int)
  ), saved AS (
    INSERT INTO pieces (session, fence, "cursor", kind, text)
    SELECT key, fence, "cursor", kind, text FROM sound
    ON CONFLICT DO NOTHING
  )
  SELECT DISTINCT i FROM sound
  `,
);
