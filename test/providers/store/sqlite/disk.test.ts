import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import type { DurableEvent } from "../../../../src/core/events/events.ts";
import type { HostError } from "../../../../src/shared/errors/host-error.ts";
import { NO_USAGE } from "../../../../src/core/events/usage.ts";
import { networkFileSystem } from "../../../../src/providers/store/sqlite/network-file-system.ts";
import { handClock } from "../../../kit/clock.ts";
import { logPen, sessionStart, titleSet, turnStart } from "../../../kit/log-pen.ts";
import { type SmallDisk, smallDisk } from "../../../kit/small-disk.ts";
import { newSession, settled } from "../contract/home.ts";
import { sqliteHome, type StoreThread } from "./sqlite-home.ts";

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

const turnEnd: DurableEvent = { type: "turn.end", turnId: "turn-1", outcome: "failed", usage: NO_USAGE };

/** A disk of so many megabytes of its own; without one the test is skipped. */
async function diskOf(megabytes: number, skip: (why: string) => never): Promise<SmallDisk> {
  const disk = await smallDisk(megabytes * 1024 * 1024);
  return typeof disk === "string" ? skip(disk) : disk;
}

const oneClearLine = (error: HostError, file: string): void => {
  expect(error.message).toContain(file);
  expect(error.message).not.toContain("\n");
  expect(error.message.length).toBeLessThan(300);
};

test("a home is its owner's alone", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agent-store-"));
  const inner = join(folder, "deep", "home");
  try {
    await using home = await sqliteHome({ folder: inner });
    const store = await home.openHost();
    await newSession(store, "s");
    const { hash } = await store.putBlob(new Uint8Array([1, 2, 3]));
    expect(await modeOf(inner)).toBe("700");
    for (const name of ["state.db", "state.db-wal", "state.db-shm", "state.reserve"]) {
      expect(`${name} ${await modeOf(join(inner, name))}`).toBe(`${name} 600`);
    }
    const shard = join(inner, "blobs", hash.slice(0, 2));
    expect(await modeOf(shard)).toBe("700");
    expect(await modeOf(join(shard, hash))).toBe("600");
    // A database that everybody could read is closed to them again.
    await chmod(join(inner, "state.db"), 0o644);
    await home.openHost();
    expect(await modeOf(join(inner, "state.db"))).toBe("600");
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe.each<StoreThread>(["own", "callers"])("a database in a thread: %s", (thread) => {
  test("on a full disk nothing new begins, what has begun gets its end, and it all goes on when there is space", async ({
    skip,
  }) => {
    await using mounted = await diskOf(6, skip);
    const folder = join(mounted.folder, "home");
    const file = join(folder, "state.db");
    await using home = await sqliteHome({ thread, folder });
    const store = await home.openHost();
    const pen = await newSession(store, "s");
    const taken = await store.append(pen.append("s", [turnStart("Hello")]));
    const fence = taken.status === "ok" ? taken.fence : undefined;
    mounted.fill();

    const full = async (work: Promise<unknown>): Promise<void> => {
      const error = await work.then(
        () => undefined,
        (thrown: HostError) => thrown,
      );
      expect(error).toMatchObject({ name: "HostError", code: "store_full" });
      if (error !== undefined) oneClearLine(error, folder);
    };
    const large = "x".repeat(4 * 1024 * 1024);
    const notice: DurableEvent = { type: "notice", level: "info", kind: "k", text: large };
    const lost = logPen(undefined, pen.state);
    await full(store.append(lost.append("s", [notice], { fence })));
    expect(await store.append(pen.append("s", [turnEnd], { fence, release: true }))).toEqual({
      status: "ok",
      fence: undefined,
    });
    mounted.fill();
    const start = logPen();
    const rows = start.rows([sessionStart()]);
    await full(store.create("t", rows, start.state));
    await full(store.append(logPen(undefined, pen.state).append("s", [turnStart("More", "turn-2")])));
    await full(store.putBlob(new Uint8Array(64 * 1024)));
    expect((await store.read("s", { after: 0, limit: 10 }))?.rows.map(({ type }) => type)).toEqual([
      "session.start",
      "turn.start",
      "turn.end",
    ]);
    expect((await store.record("s"))?.state).toEqual(pen.state);

    mounted.clear();
    expect(await store.create("t", rows, start.state)).toBe(true);
    expect(await store.append(pen.append("s", [turnStart("More", "turn-2")]))).toMatchObject({
      status: "ok",
    });
    expect((await stat(join(folder, "state.reserve"))).size).toBeGreaterThan(0);
    expect((await stat(file)).size).toBeGreaterThan(0);
  });

  test("a home on a full disk can be opened and looked through, and what is removed there makes room", async ({
    skip,
  }) => {
    await using mounted = await diskOf(6, skip);
    const folder = join(mounted.folder, "home");
    {
      await using home = await sqliteHome({ thread, folder });
      await newSession(await home.openHost(), "s");
    }
    mounted.fill();
    await using home = await sqliteHome({ thread, folder });
    const store = await home.openHost();
    expect((await store.read("s", { after: 0, limit: 10 }))?.rows).toHaveLength(1);
    const start = logPen();
    const rows = start.rows([sessionStart()]);
    await expect(store.create("t", rows, start.state)).rejects.toMatchObject({ code: "store_full" });
    await store.remove("s");
    expect(await store.record("s")).toBeUndefined();
    mounted.clear();
    expect(await store.create("t", rows, start.state)).toBe(true);
  });

  test("a home that does not fit on the disk is a full disk, and is no obstacle later", async ({ skip }) => {
    await using mounted = await diskOf(2, skip);
    const folder = join(mounted.folder, "home");
    await mkdir(folder);
    mounted.fill();
    {
      await using home = await sqliteHome({ thread, folder });
      const error: HostError = await home.openHost().then(
        () => undefined,
        (thrown) => thrown,
      );
      expect(error).toMatchObject({ name: "HostError", code: "store_full" });
      oneClearLine(error, join(folder, "state.db"));
    }
    mounted.clear();
    await using home = await sqliteHome({ thread, folder });
    await newSession(await home.openHost(), "s");
  });

  test("a home that cannot be written is refused with the remedy", async ({ skip }) => {
    await using mounted = await diskOf(6, skip);
    const folder = join(mounted.folder, "home");
    {
      await using home = await sqliteHome({ thread, folder });
      await newSession(await home.openHost(), "s");
    }
    const before = await readFile(join(folder, "state.db"));
    await mounted.makeReadOnly();
    for (const path of [folder, join(mounted.folder, "fresh")]) {
      await using home = await sqliteHome({ thread, folder: path });
      const error: HostError = await home.openHost().then(
        () => undefined,
        (thrown) => thrown,
      );
      expect(error).toMatchObject({ name: "HostError", code: "store_unavailable" });
      expect(error.message).toContain("AGENT_HOME");
      oneClearLine(error, join(path, "state.db"));
    }
    expect(await readFile(join(folder, "state.db"))).toEqual(before);
    expect(await readdir(mounted.folder)).toEqual(["home"]);
  });
});

test("a home that is a file, or lies below one, is refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "agent-store-"));
  try {
    await writeFile(join(folder, "file"), "mine");
    await symlink(join(folder, "loop"), join(folder, "loop"));
    for (const path of ["file", "file/home", "loop"]) {
      await using home = await sqliteHome({ folder: join(folder, path) });
      await expect(home.openHost()).rejects.toMatchObject({ name: "HostError", code: "store_unavailable" });
    }
    await mkdir(join(folder, "home", "state.db"), { recursive: true });
    await using home = await sqliteHome({ folder: join(folder, "home") });
    await expect(home.openHost()).rejects.toMatchObject({ name: "HostError", code: "store_unavailable" });
    expect(await readFile(join(folder, "file"), "utf8")).toBe("mine");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("a blob that rots is not handed out, and putting it again heals it", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  const bytes = new TextEncoder().encode("whole");
  const { hash } = await store.putBlob(bytes);
  const path = join(home.folder, "blobs", hash.slice(0, 2), hash);
  await chmod(path, 0o600);
  await writeFile(path, "rotten");
  await expect(store.getBlob(hash)).rejects.toMatchObject({
    code: "blob_not_found",
    message: expect.stringContaining("damaged"),
  });
  await store.putBlob(bytes);
  expect(new Uint8Array(await store.getBlob(hash))).toEqual(bytes);
});

test("blobs that were written twice are kept once", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  const { hash } = await store.putBlob(new Uint8Array(1_000));
  const path = join(home.folder, "blobs", hash.slice(0, 2), hash);
  const first = (await stat(path)).ino;
  await Promise.all([store.putBlob(new Uint8Array(1_000)), store.putBlob(new Uint8Array(1_000))]);
  expect((await stat(path)).ino).toBe(first);
  expect(await readdir(join(path, ".."))).toEqual([hash]);
});

test("blobs that no session names go after a day, and only those", async () => {
  const clock = handClock(Date.now());
  await using home = await sqliteHome({ clock });
  const store = await home.openHost();
  const pen = await newSession(store, "s");
  const put = async (text: string): Promise<string> => {
    const { hash } = await store.putBlob(new TextEncoder().encode(text));
    return hash;
  };
  const named = await put("named");
  const lost = await put("lost");
  await store.append(pen.append("s", [titleSet("named")], { blobs: [named], release: true }));
  const pathOf = (hash: string): string => join(home.folder, "blobs", hash.slice(0, 2), hash);
  await writeFile(`${pathOf(lost)}.0123456789ab.tmp`, "half a blob");
  await store.sweep();
  expect(await exists(pathOf(lost))).toBe(true);

  clock.advance(25 * 60 * 60_000);
  await settled(store);
  const fresh = await put("fresh");
  await utimes(pathOf(fresh), clock.now() / 1_000, clock.now() / 1_000);
  await store.sweep();
  expect(await exists(pathOf(named))).toBe(true);
  expect(await exists(pathOf(fresh))).toBe(true);
  expect(await exists(pathOf(lost))).toBe(false);
  expect(await exists(`${pathOf(lost)}.0123456789ab.tmp`)).toBe(false);
});

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

test("a removed session of any size leaves nothing behind", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  const pen = logPen();
  const rows = pen.rows([
    sessionStart(),
    ...Array.from({ length: 4_500 }, (_, index) => titleSet(`${index}`)),
  ]);
  await store.create("s", rows, pen.state);
  const { hash } = await store.putBlob(new Uint8Array([1]));
  await store.append(pen.append("s", [titleSet("x")], { blobs: [hash], release: true }));
  await store.remove("s");
  const database = new DatabaseSync(home.database);
  for (const table of ["sessions", "rows", "states", "pieces", "leases", "blob_refs", "commands"]) {
    expect({ table, rows: database.prepare(`SELECT * FROM ${table}`).all() }).toEqual({ table, rows: [] });
  }
  database.close();
});

test("network file systems are known by their numbers, and by their names below FUSE", () => {
  const mounts = [
    "22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
    "30 22 0:40 / /home/me/remote rw - fuse.sshfs host:/ rw",
    "31 22 0:41 / /home/me/remote/local rw - fuse.gocryptfs x rw",
    "32 22 0:42 / /mnt/with\\040space rw - fuse.rclone cloud: rw",
    "33 22 0:43 / /home/me/remote2 rw - fuseblk /dev/sdb1 rw",
  ].join("\n");
  const name = (type: number, path: string): string | undefined =>
    networkFileSystem(type, path, () => mounts);
  const fuse = 0x65735546;
  expect(name(0xef53, "/home/me")).toBeUndefined();
  expect(name(0x01021994, "/tmp")).toBeUndefined();
  expect(name(0x6969, "/nfs")).toBe("NFS");
  expect(name(0xfe534d42, "/share")).toBe("SMB2");
  // As a signed number, which is what some systems give.
  expect(name(0xff534d42 | 0, "/share")).toBe("CIFS");
  expect(name(fuse, "/home/me/remote")).toBe("fuse.sshfs");
  expect(name(fuse, "/home/me/remote/deep/down")).toBe("fuse.sshfs");
  expect(name(fuse, "/home/me/remote/local/x")).toBeUndefined();
  expect(name(fuse, "/home/me/remote2")).toBeUndefined();
  expect(name(fuse, "/mnt/with space/home")).toBe("fuse.rclone");
});
