import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { StoreOperations } from "../../../../src/providers/store/operations.ts";
import { blobFileCleanup } from "../../../../src/providers/store/sqlite/blob-files.ts";
import { Batch } from "../../../../src/providers/store/sqlite/batch.ts";
import { openHomeDatabase } from "../../../../src/providers/store/sqlite/open-database.ts";
import { DiskReserve } from "../../../../src/providers/store/sqlite/disk-reserve.ts";
import { PieceFolder } from "../../../../src/providers/store/pieces/piece-folder.ts";
import { OperationContext } from "../../../../src/providers/store/sqlite/operation-context.ts";
import type { OperationRequest } from "../../../../src/providers/store/sqlite/worker-messages.ts";
import { readIdentity } from "../../../../src/providers/store/index.ts";

const sqliteError = (errcode: number, message: string): Error =>
  Object.assign(new Error(message), { errcode });

const forget = (id: number, host: string): OperationRequest => ({
  id,
  name: "forgetHost",
  input: { host, beat: undefined },
});

/** A batch over a real database whose `forgetHost` does what the test says. */
async function withBatch(
  onForget: (host: string) => void,
  work: (batch: Batch, count: () => number) => void,
) {
  const folder = await mkdtemp(join(tmpdir(), "agent-store-"));
  const database = openHomeDatabase(folder, { allowNetworkFileSystem: false });
  const context = new OperationContext({
    database,
    blobs: blobFileCleanup(join(folder, "blobs")),
    saved: new PieceFolder(join(folder, "pieces")),
    host: { ...readIdentity(process.pid), id: "me", beat: 0, ended: false },
  });
  const operations = { forgetHost: ({ host }: { readonly host: string }) => onForget(host) };
  try {
    // Nothing but `forgetHost` is asked for.
    const batch = new Batch(context, operations as unknown as StoreOperations, new DiskReserve(folder));
    work(batch, () => database.commits);
  } finally {
    database.close();
    await rm(folder, { recursive: true });
  }
}

test("a failed sync is the end: what comes after it is refused without another try", async () => {
  let tries = 0;
  await withBatch(
    (host) => {
      tries += 1;
      if (host === "bad") throw sqliteError(1034, "disk I/O error");
    },
    (batch) => {
      const refused = {
        error: { code: "store_unavailable", message: expect.stringContaining("disk failed") },
      };
      expect(batch.run([forget(1, "good")])).toEqual([{ id: 1, value: undefined }]);
      expect(batch.run([forget(2, "good"), forget(3, "bad"), forget(4, "good")])).toMatchObject([
        refused,
        refused,
        refused,
      ]);
      expect(tries).toBe(3);
      expect(batch.run([forget(5, "good")])).toMatchObject([{ id: 5, ...refused }]);
      expect(tries).toBe(3);
    },
  );
});

test("when one request cannot be written the others are, each by itself", async () => {
  await withBatch(
    (host) => {
      if (host === "large") throw sqliteError(13, "database or disk is full");
    },
    (batch, commits) => {
      const before = commits();
      expect(batch.run([forget(1, "a"), forget(2, "large"), forget(3, "b")])).toEqual([
        { id: 1, value: undefined },
        { id: 2, error: { code: "store_full", message: expect.any(String) } },
        { id: 3, value: undefined },
      ]);
      expect(commits() - before).toBe(2);
    },
  );
});

test("a database that stays locked refuses a whole batch at once", async () => {
  let tries = 0;
  await withBatch(
    () => {
      tries += 1;
      throw sqliteError(5, "database is locked");
    },
    (batch) => {
      const answers = batch.run([forget(1, "a"), forget(2, "b"), forget(3, "c")]);
      expect(answers.map((answer) => "error" in answer && answer.error.code)).toEqual(
        Array.from({ length: 3 }, () => "store_unavailable"),
      );
      expect(tries).toBe(1);
    },
  );
});
