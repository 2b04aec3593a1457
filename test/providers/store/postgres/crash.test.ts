import { afterAll, describe, expect, test } from "vitest";
import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import { postgresStore } from "../../../../src/providers/store/postgres/postgres-store.ts";
import type { HomeStore } from "../../../../src/providers/store/index.ts";
import { handClock, type HandClock } from "../../../kit/clock.ts";
import { titleSet } from "../../../kit/log-pen.ts";
import { startPostgres } from "../../../kit/postgres/index.ts";
import { drive, newSession, piece } from "../contract/home.ts";

// Its own server: it is killed. Where no package brings one for this machine.
const server = await startPostgres({ inMemory: true });
afterAll(() => server?.[Symbol.asyncDispose]());

const open = (name: string, clock: HandClock): Promise<HomeStore> =>
  postgresStore({
    url: server?.url() ?? "",
    identity: { pid: 1, startedAt: "1", bootId: name, pidNamespace: `pid:${name}`, machineId: name },
    clock,
    lease: { ms: 0, stopAfterMs: Number.POSITIVE_INFINITY },
    connections: 2,
  });

describe.skipIf(server === undefined)("a database that crashes", () => {
  test("keeps every row that was acknowledged, and gets the text of a running reply again", async () => {
    const clock = handClock();
    await using a = await open("a", clock);
    await using b = await open("b", handClock());
    const pen = await newSession(a, "s");
    const first = await a.append(pen.append("s", [titleSet("1")], { reserve: 1_000 }));
    const fence = first.status === "ok" ? first.fence : undefined;
    const { seq } = pen.head;
    for (let round = 0; round < 4; round += 1) {
      const words = Array.from({ length: 10 }, (_, at) => piece(seq + round * 50 + at * 5, "word "));
      for (const word of words)
        expect(await a.append(pen.append("s", [], { fence, pieces: [word] }))).toMatchObject({
          status: "ok",
        });
      await server?.kill();
      // What is asked meanwhile waits.
      const read = b.read("s", { after: 0, limit: 10 });
      await server?.start();
      expect((await read)?.rows).toHaveLength(2);
      // The next beat finds that the database has crashed.
      clock.advance(2_000);
      const text = async (): Promise<string> =>
        ((await b.read("s", { after: 0, limit: 10 }))?.pieces ?? []).map((each) => each.text).join("");
      await expect.poll(text).toBe("word ".repeat((round + 1) * 10));
      await expect.poll(() => clock.pending().some((timer) => timer.in <= 2_000)).toBe(true);
    }
    await a.append(pen.append("s", [titleSet("2")], { fence, clearPieces: true }));
    expect((await b.read("s", { after: 0, limit: 10 }))?.head).toEqual(pen.head);
    // Whoever takes a session from a host that did not live to see it goes on behind what was reserved.
    const other = await newSession(b, "t");
    await drive(b, "t", other);
    await server?.kill();
    await server?.start();
    expect((await a.record("t"))?.owner?.alive).toBe(true);
  });

  test("has the text that it lost before any that follows, though no connection broke, and though it fails at first", async () => {
    await using a = await open("a", handClock());
    const sql = new Connections({ url: server?.url() ?? "", name: "test", most: 1 });
    const pen = await newSession(a, "u");
    const first = await a.append(pen.append("u", [titleSet("1")], { reserve: 1_000 }));
    const fence = first.status === "ok" ? first.fence : undefined;
    const { seq } = pen.head;
    const say = async (at: number) => {
      const pieces = [piece(seq + at * 5, "word ")];
      expect(await a.append(pen.append("u", [], { fence, pieces }))).toMatchObject({ status: "ok" });
    };
    const kept = async () =>
      ((await a.read("u", { after: seq, limit: 10 }))?.pieces ?? []).map(({ cursor }) => cursor - seq);
    // What a crash leaves: the mark and the text are gone.
    const crash = async () => {
      await sql.execute("DELETE FROM epoch_marks");
      await sql.execute("DELETE FROM pieces");
    };
    await say(0);
    await say(1);
    await crash();
    await say(2);
    expect(await kept()).toEqual([0, 5, 10]);
    await crash();
    await sql.execute("CREATE SEQUENCE tries");
    await sql.execute(`CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('tries') = 1 THEN RAISE EXCEPTION 'once' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$`);
    await sql.execute(
      "CREATE TRIGGER fail_once BEFORE INSERT ON pieces FOR EACH ROW EXECUTE FUNCTION fail_once()",
    );
    await say(3);
    expect(await kept()).toEqual([0, 5, 10, 15]);
    // Also before a row.
    await crash();
    expect(await a.append(pen.append("u", [titleSet("2")], { fence }))).toMatchObject({ status: "ok" });
    expect(await kept()).toEqual([0, 5, 10, 15]);
    await sql.close();
  });
});
