import type pg from "pg";
import { randomHex } from "../../../shared/crypto/random-hex.ts";

/** The way to a database: a pooler may stand in between. */
export interface Way {
  /** A pooler: the next statement may go to another connection of the server. */
  readonly isPooled: boolean;
  /** Statements can be prepared once, under names. */
  readonly prepares: boolean;
}

/**
 * Looks at what a connection leads to. A pooler gives out numbers of its own for the server's processes; one that translates
 * names of statements (PgBouncer from 1.21 on, with `max_prepared_statements`) has another name for them at the server.
 */
export async function lookAtWay(client: pg.ClientBase): Promise<Way> {
  const own = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  // The driver has it from the server's greeting, and its types do not.
  if (own.rows[0]?.pid === Reflect.get(client, "processID")) return { isPooled: false, prepares: true };
  const name = `agent_look_${randomHex(8)}`;
  try {
    // In one transaction it is one connection of the server.
    await client.query("BEGIN");
    await client.query({ name, text: `SELECT '${name}'` });
    const { rows } = await client.query<{ name: string }>(
      `SELECT name FROM pg_prepared_statements WHERE statement = 'SELECT ''${name}'''`,
    );
    const isSame = rows.some((row) => row.name === name);
    if (isSame) await client.query(`DEALLOCATE ${name}`);
    return { isPooled: true, prepares: rows.length > 0 && !isSame };
  } catch {
    return { isPooled: true, prepares: false };
  } finally {
    await client.query("ROLLBACK");
  }
}
