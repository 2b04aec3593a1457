import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { inOwnThread, readIdentity, sqliteStore } from "../../../../src/providers/store/index.ts";
import { newSession } from "../contract/home.ts";
import { storeContract } from "../contract/index.ts";
import { sqliteHome } from "./sqlite-home.ts";

storeContract(() => sqliteHome());

test("the store runs from its sources as well as from the build", async () => {
  const home = await mkdtemp(join(tmpdir(), "agent-store-"));
  try {
    await using store = await sqliteStore({ home, identity: readIdentity(process.pid) });
    const pen = await newSession(store, "s");
    expect((await store.record("s"))?.state).toEqual(pen.state);
  } finally {
    await rm(home, { recursive: true });
  }
});

test("a store whose thread is gone says so, to those who wait and to those who come", async () => {
  await using home = await sqliteHome();
  const store = await home.openHost();
  await newSession(store, "s");
  const waiting = Promise.allSettled(
    Array.from({ length: 50 }, () => store.read("s", { after: 0, limit: 1 })),
  );
  await home.kill(store);
  for (const answer of await waiting) {
    const gone = answer.status === "rejected" ? answer.reason : undefined;
    expect(gone === undefined || gone.code === "store_unavailable").toBe(true);
  }
  await expect(store.record("s")).rejects.toMatchObject({ name: "HostError", code: "store_unavailable" });
});

test("a thread that cannot be started is a store that cannot be opened", async () => {
  await using home = await sqliteHome();
  const opening = sqliteStore({
    home: home.folder,
    identity: readIdentity(process.pid),
    openBackend: inOwnThread(() => new Worker(new URL("file:///nowhere/store-worker.js"))),
  });
  await expect(opening).rejects.toMatchObject({ name: "HostError", code: "store_unavailable" });
});
