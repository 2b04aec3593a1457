import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, describe, expect, test } from "vitest";
import type { Host } from "../../../../src/core/index.ts";
import { healthChecks } from "../../../../src/http/index.ts";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import { type HomeStore, readIdentity } from "../../../../src/providers/store/index.ts";
import { logPen, titleSet } from "../../../kit/log-pen.ts";
import { giveToServer, startPostgres } from "../../../kit/postgres/index.ts";
import { smallDisk } from "../../../kit/small-disk.ts";
import { scriptedModel } from "../../../kit/scripted-model.ts";
import { hostWith } from "../../../kit/test-host.ts";
import { startTcpProxy } from "../../../kit/tcp-proxy.ts";
import { drive, newSession } from "../contract/home.ts";

// Its own server, with few connections. Where no package brings one for this machine.
const server = await startPostgres({
  inMemory: true,
  settings: { max_connections: "16", superuser_reserved_connections: "1", fsync: "off" },
});
afterAll(() => server?.[Symbol.asyncDispose]());

const open = (url: string, patienceMs = 100): Promise<HomeStore> =>
  postgresStore({ url, identity: readIdentity(process.pid), connections: 2, patienceMs });

/** Runs statements as the owner of the server. */
async function administer(...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: server?.url() });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

/** What a host says of its store in its health. */
async function healthOf(host: Host): Promise<string> {
  const sources = { config: async () => ({ status: "ok" as const }) };
  const checks = await healthChecks({ host, stats: { disk: async () => undefined }, sources });
  return checks.state_db.status;
}

describe.skipIf(server === undefined)("a database in trouble", () => {
  test("that is read-only is said so, and written again without a restart", async () => {
    await administer("CREATE DATABASE quiet");
    await using store = await open(server?.url("quiet") ?? "");
    await using host = await hostWith(scriptedModel(), { store });
    await using patient = await open(server?.url("quiet") ?? "", 100_000);
    const pen = await newSession(patient, "s");
    const fence = await drive(patient, "s", pen);
    const disconnect = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'quiet'";
    await administer("ALTER DATABASE quiet SET default_transaction_read_only = on", disconnect);
    await expect(newSession(store, "t")).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/is read-only.*store\.url/),
    });
    expect((await store.record("s"))?.id).toBe("s");
    expect(await healthOf(host)).toBe("degraded");
    // A host that drives something waits for as long as its word lasts.
    const waiting = patient.append(pen.append("s", [titleSet("at last")], { fence }));
    await administer("ALTER DATABASE quiet RESET default_transaction_read_only", disconnect);
    expect(await waiting).toEqual({ status: "ok", fence });
    // Its connections were cut, which one with so little patience may see once more.
    let tries = 0;
    const write = () => newSession(store, `t${(tries += 1)}`).then(() => "written", String);
    await expect.poll(write).toBe("written");
    await expect.poll(() => healthOf(host)).toBe("ok");
  });

  test("that a newer version wrote is left as it is; who runs already goes on", async () => {
    await administer("CREATE DATABASE newer");
    const url = server?.url("newer") ?? "";
    await using running = await open(url);
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query("INSERT INTO schema_versions (version) VALUES (999)");
    const tables = async (): Promise<unknown> =>
      (await client.query("SELECT relname, relnatts FROM pg_class WHERE relkind = 'r' ORDER BY oid")).rows;
    const before = await tables();
    await expect(open(url)).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(
        /newer version \(schema 999; .*Nothing was changed: update this program/,
      ),
    });
    expect(await tables()).toEqual(before);
    expect((await client.query("SELECT id FROM hosts")).rows).toEqual([]);
    await client.end();
    await newSession(running, "goes-on");
  });

  test("that gives no more connections is said so, and goes on when there are some", async () => {
    await administer("CREATE DATABASE busy");
    await using early = await open(server?.url("busy") ?? "");
    const pen = await newSession(early, "s");
    const others: Client[] = [];
    for (;;) {
      const client = new Client({ connectionString: server?.url("busy") });
      try {
        await client.connect();
        others.push(client);
      } catch {
        break;
      }
    }
    await expect(open(server?.url("busy") ?? "")).rejects.toMatchObject({
      code: "store_unavailable",
      message: expect.stringMatching(/too many|remaining connection slots.*max_connections/),
    });
    await drive(early, "s", pen);
    for (const client of others) await client.end();
    // The server gives a place free a moment after its client is gone.
    await using late = await open(server?.url("busy") ?? "", 100_000);
    expect((await late.record("s"))?.state).toEqual(pen.state);
  });

  test("that takes half a second for each answer is slow, and nothing more", async () => {
    await administer("CREATE DATABASE slow");
    await using line = await startTcpProxy(server?.port ?? 0);
    const url = new URL(server?.url("slow") ?? "");
    url.port = String(line.port);
    await using store = await open(url.href);
    const pen = await newSession(store, "s");
    line.set({ delayMs: 250 });
    const fence = await drive(store, "s", pen);
    expect(await store.append(pen.append("s", [titleSet("later")], { fence, release: true }))).toEqual({
      status: "ok",
      fence: undefined,
    });
    line.set({});
    expect((await store.record("s"))?.state).toEqual(pen.state);
  });

  test("whose disk is full is said so, keeps what it has, and takes more when there is room", async (context) => {
    const disk = await smallDisk(24 * 1024 * 1024);
    if (typeof disk === "string") return context.skip(disk);
    const space = join(disk.folder, "space");
    mkdirSync(space);
    giveToServer(space);
    await administer(
      `CREATE TABLESPACE small LOCATION '${space}'`,
      "CREATE DATABASE full_one TABLESPACE small",
    );
    await using store = await open(server?.url("full_one") ?? "");
    const pen = await newSession(store, "s");
    const fence = await drive(store, "s", pen);
    disk.fill();
    let sound = pen.state;
    const fill = async (): Promise<void> => {
      for (;;) {
        const next = logPen(undefined, sound);
        const long = randomBytes(200_000).toString("hex");
        expect(await store.append(next.append("s", [titleSet(long)], { fence }))).toEqual({
          status: "ok",
          fence,
        });
        sound = next.state;
      }
    };
    await expect(fill()).rejects.toMatchObject({
      code: "store_full",
      message: expect.stringMatching(/disk of the database .* is full/),
    });
    expect((await store.record("s"))?.state).toEqual(sound);
    disk.clear();
    const last = logPen(undefined, sound).append("s", [titleSet("room")], { fence, release: true });
    expect(await store.append(last)).toEqual({ status: "ok", fence: undefined });
    await store[Symbol.asyncDispose]();
    await administer("DROP DATABASE full_one WITH (FORCE)", "DROP TABLESPACE small");
    await disk[Symbol.asyncDispose]();
  });
});
