import { systemClock } from "../../../../src/shared/async/clock.ts";
import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import type { Announcement, PostgresContext } from "../../../../src/providers/store/postgres/context.ts";
import { RecordRequests } from "../../../../src/providers/store/postgres/record-requests.ts";
import { migrate } from "../../../../src/providers/store/postgres/schema.ts";
import { statement } from "../../../../src/providers/store/postgres/statement.ts";
import { testDatabase } from "../../../kit/postgres/index.ts";

const REGISTER = statement(
  "test_register",
  "INSERT INTO hosts VALUES ($1, $1, $1, $1, 1, '0', 1, clock_timestamp(), false, 1) ON CONFLICT DO NOTHING",
);

/** A host with nothing above its operations. */
export interface RawHost extends PostgresContext {
  readonly announced: readonly Announcement[];
}

/** Hosts on a database of their own. */
export async function rawHosts() {
  const database = await testDatabase();
  const open: Connections[] = [];
  const connect = (name: string): Connections => {
    const sql = new Connections({ url: database.url, most: 6, name });
    open.push(sql);
    return sql;
  };
  const own = connect("test");
  await migrate(own);
  let statements = 0;
  return {
    sql: own,
    /** Runs what a test has to say to the database itself. */
    run: (text: string, values: readonly unknown[] = []) =>
      own.query(statement(`raw_${(statements += 1)}`, text), values),
    async host(id: string): Promise<RawHost> {
      const announced: Announcement[] = [];
      const sql = connect(id);
      const register = async (): Promise<void> => void (await sql.query(REGISTER, [id]));
      await register();
      return {
        sql,
        beats: sql,
        host: {
          id,
          pid: 1,
          startedAt: "0",
          bootId: id,
          pidNamespace: id,
          machineId: id,
          beat: 0,
          ended: false,
        },
        clock: systemClock,
        patienceMs: 100,
        lease: { ms: 15_000, stopAfterMs: 10_000 },
        held: new Map(),
        requests: new RecordRequests(id),
        register,
        announce: (what) => void announced.push(what),
        lookForCommands: () => undefined,
        announced,
      };
    },
    async [Symbol.asyncDispose]() {
      for (const each of open) await each.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Resolves once a statement of the host waits for another transaction. */
export async function waitsForLock(
  hosts: Awaited<ReturnType<typeof rawHosts>>,
  host: RawHost,
): Promise<void> {
  const sql = "SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
  while ((await hosts.run(sql, [host.host.id])).length === 0);
}
