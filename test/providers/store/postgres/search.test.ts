import { describe, expect, test } from "vitest";
import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import { PostgresSearch } from "../../../../src/providers/store/postgres/search/postgres-search.ts";
import type { RawPage } from "../../../../src/providers/store/search/search-messages.ts";
import { testPostgres } from "../../../kit/postgres/index.ts";
import { turnStart } from "../../../kit/log-pen.ts";
import { found, sessionWriter } from "../contract/search.ts";
import { postgresHome } from "./postgres-home.ts";

const isThere = (await testPostgres()) !== undefined;

describe.skipIf(!isThere)("searches in PostgreSQL", () => {
  test("however many hosts read into the index in small steps, everything is there once", async () => {
    await using home = await postgresHome();
    const store = await home.openHost();
    const write = sessionWriter(store);
    const turns = Array.from({ length: 12 }, (_, turn) => turnStart(`osprey number ${turn}`, `turn-${turn}`));
    for (let session = 0; session < 5; session += 1) await write(`s${session}`, turns);
    await using closing = new AsyncDisposableStack();
    const connections = closing.adopt(new Connections({ url: home.url, most: 6, name: "test" }), (each) =>
      each.close(),
    );
    const hosts = Array.from({ length: 3 }, () => new PostgresSearch(connections));
    const seen: number[] = [];
    const search = (): Promise<readonly RawPage[]> =>
      Promise.all(
        hosts.map((host) => host.call("search", { query: { words: "osprey", limit: 1000 }, ms: 0 })),
      );
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
      const [row] = await connections.query({
        name: "",
        text: `SELECT count(DISTINCT session) AS count FROM ${id}`,
      });
      expect([id, row?.["count"]]).toEqual([id, 4]);
    }
  });

  test("words and phrases are found in texts longer than PostgreSQL keeps the places of", async () => {
    await using home = await postgresHome();
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
});
