import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { expect, test } from "vitest";
import { copyHome } from "../../../../src/providers/store/copy/copy-home.ts";
import { originalText } from "../../../../src/providers/store/postgres/columns.ts";
import { systemClock } from "../../../../src/shared/async/clock.ts";
import { testDatabase, testPostgres } from "../../../kit/postgres/index.ts";
import { seedHome } from "./seeded-store.ts";

const PROGRAM = new URL("programs/copy.ts", import.meta.url).pathname;
const SESSIONS = 12;
const hasServer = (await testPostgres()) !== undefined;

class Stage implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), "agent-copy-"));
  readonly home = join(this.folder, "home");

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

const copy = (home: string, url: string, records: Parameters<typeof copyHome>[0]["records"] = noRecords) =>
  copyHome({ home, url, pid: process.pid, clock: systemClock, records, progress: () => undefined });
const noRecords = () => Promise.resolve([]);

/** Starts a copy in a process of its own, and kills it at a step. */
async function killedAt(step: string, home: string, url: string): Promise<void> {
  const child = spawn(process.execPath, [PROGRAM, home, url, step], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  for await (const line of createInterface({ input: child.stdout })) if (line === step) child.kill("SIGKILL");
  await ended;
  expect(child.signalCode).toBe("SIGKILL");
}

/** Every file of a folder with its content and times. */
function tree(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${statSync(path).mtimeMs} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
    })
    .toSorted();
}

async function inDatabase<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** What a home and a database say to the same question, as lines. */
async function both(home: string, url: string, [lite, pg]: readonly [string, string]) {
  using database = new DatabaseSync(join(home, "state.db"), { readOnly: true });
  const line = (row: object): string =>
    Object.values(row)
      .map((value) => originalText(String(value)))
      .join(" | ");
  const here = database.prepare(lite).all().map(line);
  const { rows } = await inDatabase(url, (client) => client.query<Record<string, unknown>>(pg));
  return [here, rows.map(line)] as const;
}

/** The same question to SQLite and to PostgreSQL, which has the same names. */
const QUESTIONS: readonly (readonly [string, string])[] = [
  `SELECT s.id, s.n, s.seq, active_at, marks, platform, source, cwd, title, words, waiting, doing, s."user", people, t.version,
   body, crc FROM sessions s JOIN states t ON t.session = s.key WHERE id IS NOT NULL ORDER BY s.key`,
  `SELECT s.id, r.seq, r.n, at, type, CAST(mid AS int) AS mid, body, crc FROM rows r JOIN sessions s ON s.key = r.session
   WHERE id IS NOT NULL ORDER BY s.key, r.seq`,
  "SELECT f.position, s.id, f.seq, f.at FROM feed f JOIN sessions s ON s.key = f.session ORDER BY f.position",
  "SELECT s.id, b.hash FROM blob_refs b JOIN sessions s ON s.key = b.session ORDER BY s.id, b.hash",
  `SELECT position, space, "key", parent, value, version, due_at, expires_at FROM records
   WHERE position > 0 AND space <> 'extra' AND coalesce(expires_at, 9) > 1 ORDER BY position`,
].map((sql) => [sql, sql]);

test.skipIf(!hasServer)(
  "a copy that is killed again and again goes on, is the same row by row, and leaves the home alone",
  async () => {
    using stage = new Stage();
    const { home } = stage;
    await seedHome(home, SESSIONS);
    await using database = await testDatabase();
    const { url } = database;
    const before = tree(home);
    await killedAt("sessions 4 0", home, url);
    await killedAt(`blobs ${SESSIONS + 1} 2`, home, url);
    const other = join(stage.folder, "other");
    cpSync(home, other, { recursive: true });
    await expect(copy(other, url)).rejects.toThrow(/holds a part of another home, .*home\. Name an empty/);
    const extra = [{ space: "extra", key: "memory", value: '{"text":"- tea"}' }];
    const report = await copy(home, url, () => Promise.resolve(extra));
    expect(report).toMatchObject({ continued: true, sessions: SESSIONS + 1, were: SESSIONS + 1, lost: [] });
    expect(tree(home)).toEqual(before);
    for (const question of QUESTIONS) {
      const [here, there] = await both(home, url, question);
      expect(there).toEqual(here);
      expect(here.length).toBeGreaterThan(2);
    }
    await inDatabase(url, async (client) => {
      const pieces = await client.query<{ text: string }>(
        `SELECT p.text FROM pieces p JOIN sessions s ON s.key = p.session AND s.fence = p.fence JOIN hosts h ON h.id = s.host
         WHERE s.id = 'streams' AND h.ended AND s.reserved = 1000 ORDER BY p."cursor"`,
      );
      expect(pieces.rows.map(({ text }) => originalText(text)).join("")).toBe("Half of \u0000 an answer");
      const { rows } = await client.query(
        "INSERT INTO records (space, key, value, version, crc) VALUES ('n', 'n', 'n', 1, 1) RETURNING position",
      );
      expect(Number(rows[0]?.["position"])).toBe(1502);
    });
    await expect(copy(home, url)).rejects.toThrow(/holds the whole of .*home already\. Nothing was changed/);
  },
);

test.skipIf(!hasServer)(
  "what arrives otherwise than it was sent is not kept, and a used target is refused",
  async () => {
    using stage = new Stage();
    const { home } = stage;
    await seedHome(home, 5);
    await using database = await testDatabase();
    const { url } = database;
    await killedAt("sessions 1 0", home, url);
    await inDatabase(url, (client) =>
      client.query(`CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.n = 700 THEN NEW.body := replace(NEW.body, 'tea', 'ale'); END IF; RETURN NEW; END $$;
      CREATE TRIGGER spoil BEFORE INSERT ON rows FOR EACH ROW EXECUTE FUNCTION spoil()`),
    );
    await expect(copy(home, url)).rejects.toThrow(/Session s3 did not arrive as it was sent, behind cursor/);
    await inDatabase(url, async (client) => {
      expect((await client.query("SELECT 1 FROM sessions WHERE id = 's3'")).rowCount).toBe(0);
      await client.query("DROP TRIGGER spoil ON rows");
    });
    expect(await copy(home, url)).toMatchObject({ continued: true, sessions: 6 });
    await using used = await testDatabase();
    await copy(home, used.url);
    await inDatabase(used.url, (client) => client.query("DELETE FROM records"));
    await expect(copy(home, used.url)).rejects.toThrow(
      /is not empty, and what is in it is no part of this copy/,
    );
    await expect(copy(join(stage.folder, "nowhere"), used.url)).rejects.toThrow(
      /There is no home with sessions/,
    );
  },
);

test.skipIf(!hasServer)("a home that a process has open is not copied", async () => {
  using stage = new Stage();
  await seedHome(stage.home, 2);
  await using database = await testDatabase();
  const holder = spawn(
    process.execPath,
    [
      "-e",
      `new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec("SELECT 1 FROM sessions"); console.log("open"); setInterval(() => 0, 1000)`,
      join(stage.home, "state.db"),
    ],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => holder.once("exit", resolve));
  await new Promise((resolve) => holder.stdout.once("data", resolve));
  await expect(copy(stage.home, database.url)).rejects.toThrow(
    new RegExp(`A process has .*state\\.db open: ${holder.pid}\\.`),
  );
  holder.kill("SIGKILL");
  await ended;
  expect(await copy(stage.home, database.url)).toMatchObject({ continued: false, sessions: 3 });
});
