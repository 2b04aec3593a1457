import { describe, expect, test } from "vitest";
import type { RawPage } from "../../../../src/providers/store/search/search-messages.ts";
import { PostgresSearch } from "../../../../src/providers/store/postgres/search/postgres-search.ts";
import { turnStart } from "../../../kit/log-pen.ts";
import { found, searchContract, sessionWriter } from "../contract/search.ts";
import { usageContract } from "../contract/usage.ts";
import { run, searchHome } from "./search-home.ts";

describe("search", () => {
  searchContract(searchHome);
});

describe("usage", () => {
  usageContract(searchHome);
});

test("however many hosts read into the index in small steps, everything is there once", async () => {
  await using home = await searchHome();
  const store = await home.openHost();
  const write = sessionWriter(store);
  const turns = Array.from({ length: 12 }, (_, turn) => turnStart(`osprey number ${turn}`, `turn-${turn}`));
  for (let session = 0; session < 5; session += 1) await write(`s${session}`, turns);
  const hosts = Array.from({ length: 3 }, () => new PostgresSearch(home.connections));
  const seen: number[] = [];
  const search = (): Promise<readonly RawPage[]> =>
    Promise.all(hosts.map((host) => host.call("search", { query: { words: "osprey", limit: 1000 }, ms: 0 })));
  for (let pages = await search(); ; pages = await search()) {
    seen.push(Math.min(...pages.map(({ hits }) => hits.length)));
    if (pages.every(({ complete }) => complete)) break;
  }
  expect(seen.length).toBeGreaterThan(3);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect((await found(store, '"osprey number 3"')).map(({ places }) => places)).toEqual(Array(5).fill(1));
  await store.remove("s3");
  for (const id of ["search_texts", "search_marks", "usage_sessions", "usage_turns"]) {
    await found(store, "osprey");
    const count = `SELECT count(DISTINCT session)::int AS count FROM ${id}`;
    expect([id, (await run(home.connections, count))[0]?.["count"]]).toEqual([id, 4]);
  }
});

test("words and phrases are found in texts longer than PostgreSQL keeps the places of", async () => {
  await using home = await searchHome();
  const store = await home.openHost();
  const write = sessionWriter(store);
  const han = Array.from({ length: 99_000 }, (_, at) =>
    String.fromCodePoint(0x4e00 + ((at * 7919) % 20_000)),
  );
  await write("words", [turnStart(`${"of the many ".repeat(8000)}a last word, indeed`)]);
  await write("pairs", [turnStart(`${han.join("")}全文检索`)]);
  const all = async (words: string) => (await found(store, words)).map(({ session }) => session.id);
  expect(await all('"last word indeed"')).toEqual(["words"]);
  expect(await all('"the many a last"')).toEqual(["words"]);
  expect(await all('"word last"')).toEqual([]);
  expect(await all("全文检索")).toEqual(["pairs"]);
  expect(await all("检全")).toEqual([]);
});
