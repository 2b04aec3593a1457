import { existsSync, mkdirSync, readFileSync, statSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";

/** A file that the sessions name, as far as backups see it. */
function addBlob(stage: CommandStage, name: string): string {
  mkdirSync(join(stage.home, "blobs", "ab"), { recursive: true });
  const file = join(stage.home, "blobs", "ab", name);
  writeFileSync(file, name);
  return file;
}

async function titles(stage: CommandStage): Promise<string> {
  return (await stage.ask(["sessions", "list", "--all"])).stdout;
}

test("a home that is in use is backed up, and is what it was after a restore, which can be taken back", async () => {
  await using stage = new CommandStage();
  expect((await stage.ask(["backup", "make"])).stderr).toContain("nothing to back up");
  expect((await stage.ask(["run", "the first prompt"])).code).toBe(0);
  stage.configure("timezone: Europe/Berlin\n");
  stage.write("memories.md", "kept");
  const blob = addBlob(stage, "abcd");
  stage.env["DASHBOARD_PORT"] = "0";
  const server = stage.start(["dashboard", "--print-only"]);
  await server.line((line) => line.startsWith("http"));

  const made = await stage.ask(["backup", "make"]);
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+ \(\d+ kB\) in /) });
  const [name = ""] = made.stdout.split(" ");
  const copy = join(stage.home, "backups", name, "home");
  expect(statSync(join(copy, "blobs", "ab", "abcd")).ino).toBe(statSync(blob).ino);
  expect(existsSync(join(copy, "state.db-wal"))).toBe(false);
  expect(existsSync(join(copy, "logs"))).toBe(false);
  expect(statSync(join(stage.home, "backups")).mode & 0o077).toBe(0);

  expect((await stage.ask(["run", "the second prompt"])).code).toBe(0);
  stage.configure("timezone: Asia/Tokyo\n");
  const refused = await stage.ask(["backup", "restore", name]);
  expect(refused.code).toBe(1);
  expect(refused.stderr.replaceAll(/\s+/g, " ")).toContain(`Known are: ${server.child.pid}.`);
  expect(await titles(stage)).toContain("the second prompt");
  server.child.kill("SIGTERM");
  expect((await server.end).code).toBe(0);

  const restored = await stage.ask(["backup", "restore", name]);
  expect(restored.code).toBe(0);
  expect(await titles(stage)).not.toContain("the second prompt");
  expect(await titles(stage)).toContain("the first prompt");
  expect(readFileSync(join(stage.home, "config.yaml"), "utf8")).toContain("Berlin");
  expect((await stage.ask(["sessions", "search", "second"])).stdout).not.toContain("second prompt");
  const [, undo = ""] = /restore (\S+)`/.exec(restored.stdout) ?? [];
  expect((await stage.ask(["backup", "restore", undo])).code).toBe(0);
  expect(await titles(stage)).toContain("the second prompt");

  const list = await stage.ask(["backup", "list"]);
  expect(list.stdout).toContain(`${name} `);
  expect(list.stdout.match(/before a restore/g)).toHaveLength(2);
  expect((await stage.ask(["backup", "remove", name])).code).toBe(0);
  expect((await stage.ask(["backup", "restore", name])).stderr).toContain("agent backup list");
  expect((await stage.ask(["backup", "remove", "../home"])).stderr).toContain("There is no backup");
  expect(readFileSync(blob, "utf8")).toBe("abcd");
});

test("a backup whose process is killed is none, and a lost or damaged home comes back", async () => {
  await using stage = new CommandStage();
  expect((await stage.ask(["run", "the first prompt"])).code).toBe(0);
  const folder = join(stage.home, "backups");
  mkdirSync(folder, { mode: 0o700 });
  const killed = stage.start(["backup", "make"]);
  const watcher = watch(folder, () => killed.child.kill("SIGKILL"));
  await killed.end;
  watcher.close();
  const first = JSON.parse((await stage.ask(["backup", "make", "--json"])).stdout) as {
    readonly name: string;
  };
  const list = JSON.parse((await stage.ask(["backup", "list", "--json"])).stdout) as readonly unknown[];
  expect(list.length).toBeLessThanOrEqual(2);

  writeFileSync(join(stage.home, "state.db"), "this is no database ".repeat(1000));
  expect((await stage.ask(["backup", "make"])).stderr).toContain("not a database");
  expect((await stage.ask(["backup", "restore", first.name])).code).toBe(0);
  expect(await titles(stage)).toContain("the first prompt");
  expect(existsSync(join(stage.home, "state.db.damaged"))).toBe(true);

  writeFileSync(join(folder, first.name, "home", "state.db"), "this is no database ".repeat(1000));
  expect((await stage.ask(["backup", "restore", first.name])).stderr).toContain("not a database");
  expect(await titles(stage)).toContain("the first prompt");
});

test("with store.url a backup is refused with what to do instead, and without the password", async () => {
  await using stage = new CommandStage();
  stage.env["AGENT_STORE_URL"] = "postgres://me:quite-a-secret@db.internal/agent";
  for (const args of [["make"], ["restore", "any"]]) {
    const { code, stderr } = await stage.ask(["backup", ...args]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^agent: The store is postgres:\/\/me@db\.internal\/agent\. A backup holds a home's own SQLite/,
    );
  }
});
