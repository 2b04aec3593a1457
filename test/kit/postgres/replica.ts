import { execFile } from "node:child_process";
import { cp, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { packagedPostgres } from "./binaries.ts";
import { ownFolder, type PostgresServer, startPostgres } from "./server.ts";

/** Starts a streaming replica of a server, which from now on confirms nothing that the replica does not have. */
export async function startReplica(primary: PostgresServer): Promise<PostgresServer | undefined> {
  const user = packagedPostgres()?.user;
  const data = join(await ownFolder(user, dirname(dirname(primary.data))), "data");
  const client = new Client({ connectionString: primary.url() });
  await client.connect();
  try {
    await client.query("SELECT pg_backup_start('replica', true)");
    await cp(primary.data, data, { recursive: true, filter: (path) => !path.endsWith("postmaster.pid") });
    const { rows } = await client.query<{ labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)");
    await writeFile(join(data, "backup_label"), rows[0]?.labelfile ?? "");
    await writeFile(join(data, "standby.signal"), "");
    await promisify(execFile)("chmod", ["700", data]);
    if (user !== undefined) await promisify(execFile)("chown", ["-R", `${user.uid}:${user.gid}`, data]);
    const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=replica`;
    const replica = await startPostgres({ data, settings: { primary_conninfo: from } });
    await client.query("ALTER SYSTEM SET synchronous_standby_names = 'replica'");
    await client.query("SELECT pg_reload_conf()");
    return replica;
  } finally {
    await client.end();
  }
}

/** Makes a replica the primary. */
export async function promote(replica: PostgresServer): Promise<void> {
  const client = new Client({ connectionString: replica.url() });
  await client.connect();
  await client.query("SELECT pg_promote()");
  await client.end();
}
