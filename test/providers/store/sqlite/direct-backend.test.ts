import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { readIdentity } from "../../../../src/providers/store/index.ts";
import { DirectBackend } from "../../../../src/providers/store/sqlite/direct-backend.ts";
import { FailedSyncError } from "../../../../src/providers/store/sqlite/failure.ts";
import { encodeStateEntry } from "../../../../src/providers/store/state-entry.ts";
import { logPen, sessionStart } from "../../../kit/log-pen.ts";

/** A log whose syncs end when the test says so. */
class HandSync {
  #waiting: PromiseWithResolvers<void>[] = [];
  begun = 0;

  readonly sync = (): Promise<void> => {
    this.begun += 1;
    const waiting = Promise.withResolvers<void>();
    this.#waiting.push(waiting);
    return waiting.promise;
  };
  readonly close = (): Promise<void> => Promise.resolve();

  end(failure?: Error): void {
    for (const { resolve, reject } of this.#waiting) {
      if (failure === undefined) resolve();
      else reject(failure);
    }
    this.#waiting = [];
  }
}

async function opened(log?: HandSync) {
  const home = await mkdtemp(join(tmpdir(), "agent-store-"));
  const host = { ...readIdentity(process.pid), id: "me", beat: 0, ended: false };
  const settings = { home, host, allowNetworkFileSystem: false };
  const backend = new DirectBackend(settings, () => undefined, log && (() => log));
  const database = join(home, "state.db");
  return {
    backend,
    database,
    create(id: string): Promise<boolean> {
      const pen = logPen();
      const rows = pen.rows([sessionStart()]);
      return backend.call("create", { id, rows, state: encodeStateEntry(pen.state, false) });
    },
    has: async (id: string): Promise<boolean> =>
      (await backend.call("findSession", { session: id })) !== undefined,
    async [Symbol.asyncDispose]() {
      log?.end();
      await backend.close();
      await rm(home, { recursive: true });
    },
  };
}

/** Whether a promise has settled, after everything that is ready in this process was done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  promise.then(
    () => (settled = true),
    () => (settled = true),
  );
  for (let turn = 0; turn < 20; turn += 1) await nextTurn();
  return settled;
}

test("who listens is told what is written before the log is synced", async () => {
  const log = new HandSync();
  await using home = await opened(log);
  const pen = logPen();
  const session = { id: "a", rows: pen.rows([sessionStart()]), state: encodeStateEntry(pen.state, false) };
  const told: boolean[] = [];
  const made = home.backend.call("create", session, (isMade) => told.push(isMade));
  expect(await isSettled(made)).toBe(false);
  expect(told).toEqual([true]);
  const database = new DatabaseSync(home.database, { readOnly: true });
  expect(database.prepare("SELECT count(*) AS count FROM sessions").get()).toEqual({ count: 1 });
  database.close();
  log.end();
  expect(await made).toBe(true);
  expect(told).toEqual([true]);
});

test("what must survive the loss of power is confirmed once the log is synced, and what came meanwhile is one batch", async () => {
  const log = new HandSync();
  await using home = await opened(log);
  const first = home.create("a");
  expect(await isSettled(first)).toBe(false);
  expect(log.begun).toBe(1);
  const others = Promise.all([home.create("b"), home.create("c")]);
  const look = home.has("b");
  expect(await isSettled(look)).toBe(false);
  expect(log.begun).toBe(1);
  log.end();
  expect(await first).toBe(true);
  expect(await isSettled(others)).toBe(false);
  expect(log.begun).toBe(2);
  log.end();
  expect(await others).toEqual([true, true]);
  expect(await look).toBe(true);
});

test("what need not survive it waits for no disk", async () => {
  const log = new HandSync();
  await using home = await opened(log);
  expect(await isSettled(home.backend.call("beat", { now: 0 }))).toBe(true);
  expect(await home.has("nobody")).toBe(false);
  expect(log.begun).toBe(0);
});

test("a failed sync is the end: what waited for it is refused, and all that comes after it", async () => {
  const log = new HandSync();
  await using home = await opened(log);
  const refused = { code: "store_unavailable", message: expect.stringContaining("Check the disk") };
  const lost = home.create("a").catch((thrown: unknown) => thrown);
  expect(await isSettled(lost)).toBe(false);
  log.end(new FailedSyncError("the log could not be synced"));
  expect(await lost).toMatchObject(refused);
  await expect(home.create("b")).rejects.toMatchObject(refused);
  expect(log.begun).toBe(1);
});

test("a log that somebody has taken away is a failed sync", async () => {
  await using home = await opened();
  await rm(`${home.database}-wal`);
  await expect(home.create("a")).rejects.toMatchObject({ code: "store_unavailable" });
});

test("while another process writes the event loop goes on, and what came is carried out afterwards", async () => {
  await using home = await opened();
  using other = new DatabaseSync(home.database);
  other.exec("BEGIN IMMEDIATE");
  const made = home.create("a");
  expect(await isSettled(made)).toBe(false);
  other.exec("COMMIT");
  expect(await made).toBe(true);
  expect(await home.has("a")).toBe(true);
});

test("what was asked for before a store is closed is done, and what comes later is refused", async () => {
  await using home = await opened();
  const made = home.create("a");
  const closed = home.backend.close();
  await expect(home.create("b")).rejects.toMatchObject({ code: "store_unavailable" });
  await closed;
  expect(await made).toBe(true);
  using after = new DatabaseSync(home.database);
  expect(after.prepare("SELECT id FROM sessions").all()).toEqual([{ id: "a" }]);
});
