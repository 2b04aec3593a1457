import { copyFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SearchService } from "../../../../src/providers/store/search/serve.ts";
import type { RawPage } from "../../../../src/providers/store/search/search-messages.ts";
import { turnStart } from "../../../kit/log-pen.ts";
import { found, sessionWriter } from "../contract/search.ts";
import { builtStore } from "./built-store.ts";
import { type SqliteHome, sqliteHome } from "./sqlite-home.ts";

const SESSIONS = 6;
const INDEX = "search-3.db";

/** A home with sessions whose prompts nobody has read into an index. */
async function homeOf(sessions: number, turnsOfEach = 5): Promise<SqliteHome> {
  const home = await sqliteHome();
  await using store = await home.openHost();
  const write = sessionWriter(store);
  const turns = Array.from({ length: turnsOfEach }, (_, turn) =>
    turnStart(`osprey number ${turn}`, `turn-${turn}`),
  );
  await Promise.all(Array.from({ length: sessions }, (_, at) => write(`s${at}`, turns)));
  return home;
}

/** A thread's work in this one: what it does can be cut as finely as a test wants. */
class Service {
  readonly #service: SearchService;

  constructor(home: SqliteHome) {
    this.#service = new SearchService({ home: home.folder });
  }

  page(words: string, ms: number): RawPage {
    const reply = this.#service.answer({
      id: 1,
      name: "search",
      input: { query: { words, limit: 1000 }, ms },
    });
    if ("error" in reply) throw new Error(reply.error.message);
    return reply.value as RawPage;
  }

  close(): void {
    this.#service.close();
  }
}

test("a home without an index gets one in small steps, and says so until it is whole", async () => {
  await using home = await homeOf(SESSIONS);
  const seen: number[] = [];
  // Each step in a life of its own: whatever was read stays read.
  for (let whole = false; !whole && seen.length < 2000;) {
    const service = new Service(home);
    const page = service.page("osprey", 0);
    service.close();
    seen.push(page.hits.length);
    whole = page.complete;
  }
  expect(seen).toContain(1);
  expect(seen.length).toBeGreaterThan(SESSIONS);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect((await found(await home.openHost(), "osprey")).length).toBe(SESSIONS);
});

test("an index whose builder is killed goes on, and is whole", async () => {
  await using home = await homeOf(SESSIONS, 200);
  const { startSearchThread } = await builtStore();
  for (let life = 0; life < 5; life += 1) {
    const thread = startSearchThread({ home: home.folder });
    const catchUp = (ms: number): void => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      thread.postMessage({ id: 1, name: "catchUp", input: { ms } });
    };
    catchUp(life);
    if (life % 2 === 0) await new Promise((resolve) => thread.once("message", resolve));
    catchUp(10_000);
    await thread.terminate();
  }
  const hits = await found(await home.openHost(), "osprey", { limit: 1000 });
  expect(hits.length).toBe(SESSIONS);
  // Everything is there once, however often it was begun.
  expect((await found(await home.openHost(), '"osprey number 3"')).map(({ places }) => places)).toEqual(
    Array(SESSIONS).fill(1),
  );
});

test("an index that is damaged, gone or about another past is made anew", async () => {
  await using home = await homeOf(3);
  const file = join(home.folder, INDEX);
  const look = async (words: string): Promise<number> => {
    const service = new Service(home);
    const page = service.page(words, 10_000);
    service.close();
    return page.hits.length;
  };
  expect(await look("osprey")).toBe(3);
  await writeFile(file, "no database at all, but long enough for a header".repeat(200));
  expect(await look("osprey")).toBe(3);
  // A copy of the store is put back, and what is said from then on takes the places of other rows.
  const backup = join(home.folder, "backup.db");
  {
    await using store = await home.openHost();
    await copyFile(home.database, backup);
    const pen = await sessionWriter(store)("late", [turnStart("cormorant")]);
    await store.append(pen.append("late", [turnStart("more of it")], { release: true }));
  }
  expect(await look("cormorant")).toBe(1);
  // Whoever only reads cannot clean up behind a store that was closed.
  for (const end of ["-wal", "-shm"]) await rm(`${home.database}${end}`, { force: true });
  await copyFile(backup, home.database);
  expect(await look("cormorant")).toBe(0);
  await using store = await home.openHost();
  const pen = await sessionWriter(store)("other", [turnStart("shearwater")]);
  await store.append(pen.append("other", [turnStart("more of that")], { release: true }));
  expect(await look("cormorant")).toBe(0);
  expect(await look("shearwater")).toBe(1);
  expect(await look("osprey")).toBe(3);
});
