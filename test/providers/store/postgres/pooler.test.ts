import { expect, test } from "vitest";
import { openHost } from "../../../../src/core/index.ts";
import { readIdentity } from "../../../../src/providers/store/index.ts";
import { databaseFaults, inspectDatabase } from "../../../../src/providers/store/postgres/inspect.ts";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import { testDatabase, testPostgres } from "../../../kit/postgres/index.ts";
import { hasPooler, startPooler } from "../../../kit/postgres/pooler.ts";
import { say, scriptedModelWith } from "../../../kit/scripted-model.ts";
import { until } from "../../../kit/test-host.ts";

// PgBouncer is no package of npm: the test runs where the system has it.
const server = hasPooler() ? await testPostgres() : undefined;

const SESSIONS = 12;
const TURNS = 5;

test.skipIf(server === undefined).each(["through the pooler alone", "with a direct way to listen"])(
  "two hosts work through a pooler in transaction mode, %s",
  async (how) => {
    await using database = await testDatabase();
    await using pooler = await startPooler(database.url);
    const url = pooler.url(database.url);
    const listens = how.startsWith("with");
    const open = () =>
      postgresStore({
        url,
        identity: readIdentity(process.pid),
        ...(listens ? { listenUrl: database.url } : {}),
      });
    await using storeA = await open();
    await using storeB = await open();
    const models = scriptedModelWith({ otherwise: () => [say("one "), say("two")] });
    await using a = await openHost({ store: storeA, models });
    await using b = await openHost({ store: storeB, models });
    const work = Array.from({ length: SESSIONS }, async () => {
      const session = await a.open();
      const elsewhere = await b.session(session.id);
      for (let turn = 0; turn < TURNS; turn += 1) {
        const { after } = { after: elsewhere.cursor };
        const seen = until(elsewhere.events({ after }), "turn.end");
        const side = turn % 2 === 0 ? session : elsewhere;
        expect(await side.submit({ text: `turn ${turn}` }).result).toMatchObject({
          outcome: "completed",
          text: "one two",
        });
        expect(await seen).toMatchObject({ outcome: "completed" });
        await elsewhere.refresh();
      }
    });
    await Promise.all(work);
    const facts = await inspectDatabase(url, listens ? database.url : undefined);
    expect(facts).toMatchObject({ isPooled: true, hears: listens });
    const faults = databaseFaults(facts).filter((fault) => fault.includes("store.listen_url"));
    expect(faults).toHaveLength(listens ? 0 : 1);
  },
);

test.skipIf(server === undefined)("a direct way is known as one", async () => {
  await using database = await testDatabase();
  expect(await inspectDatabase(database.url)).toMatchObject({ isPooled: false, hears: true });
});
