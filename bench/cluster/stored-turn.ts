import { Client } from "pg";

/** A row of a log, as far as its size goes. */
interface StoredTurnRow {
  readonly type: string;
  readonly body: string;
}

/** What a turn has the database keep: the rows of each of its commits, and the state that goes with each. */
export interface StoredTurn {
  readonly appends: readonly (readonly StoredTurnRow[])[];
  readonly state: string;
}

/** Reads what the last whole turn of some session left in the database. */
export async function storedTurn(databaseUrl: string, commits: number): Promise<StoredTurn> {
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  const { rows } = await sql.query<StoredTurnRow & { state: string }>(
    `SELECT r.type, r.body, t.body AS state FROM states t JOIN rows r USING (session)
     WHERE session = (SELECT session FROM rows GROUP BY session ORDER BY count(*) DESC LIMIT 1)
       AND n > (SELECT n FROM rows o WHERE o.session = t.session AND o.type = 'turn.end' ORDER BY n DESC OFFSET 1 LIMIT 1)
     ORDER BY n`,
  );
  await sql.end();
  const each = Math.ceil(rows.length / Math.max(1, Math.round(commits)));
  const appends = Array.from({ length: Math.ceil(rows.length / each) }, (_, index) =>
    rows.slice(index * each, (index + 1) * each),
  );
  return { appends, state: rows[0]?.state ?? "" };
}
