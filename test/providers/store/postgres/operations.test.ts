import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { RecordDraft } from "../../../../src/core/ports/records.ts";
import {
  claimBlob,
  databaseBlobs,
  deleteUnusedBlobs,
} from "../../../../src/providers/store/postgres/blobs.ts";
import { Appender } from "../../../../src/providers/store/postgres/append.ts";
import { APPEND } from "../../../../src/providers/store/postgres/append-statement.ts";
import {
  answerCommands,
  answererOf,
  CommandOutbox,
  keepOutCommand,
  settledCommands,
  takeCommands,
  withdrawCommand,
} from "../../../../src/providers/store/postgres/commands.ts";
import { Connections } from "../../../../src/providers/store/postgres/connections.ts";
import type { PostgresContext } from "../../../../src/providers/store/postgres/context.ts";
import { branchSession, createSession } from "../../../../src/providers/store/postgres/create-session.ts";
import { readFeed, sweepFeed } from "../../../../src/providers/store/postgres/feed.ts";
import { PassingFailure } from "../../../../src/providers/store/postgres/failure.ts";
import { forgetHost, listHosts, takeOver } from "../../../../src/providers/store/postgres/hosts.ts";
import { Presence } from "../../../../src/providers/store/postgres/presence.ts";
import { rebuildState } from "../../../../src/providers/store/postgres/rebuild-state.ts";
import {
  claimRecords,
  expireRecords,
  listRecords,
  readRecord,
  removeRecord,
  trimRecords,
  writeRecord,
} from "../../../../src/providers/store/postgres/records.ts";
import {
  purgeRemovedSession,
  removeSession,
} from "../../../../src/providers/store/postgres/remove-session.ts";
import { findHolder, findSession, listSessions } from "../../../../src/providers/store/postgres/sessions.ts";
import { sweep } from "../../../../src/providers/store/postgres/sweep.ts";
import { statement } from "../../../../src/providers/store/postgres/statement.ts";
import type { EncodedAppend } from "../../../../src/providers/store/operations.ts";
import { encodeStateEntry } from "../../../../src/providers/store/state-entry.ts";
import { HostError } from "../../../../src/shared/errors/host-error.ts";
import { logPen, sessionStart, titleSet, turnStart } from "../../../kit/log-pen.ts";
import { testPostgres } from "../../../kit/postgres/index.ts";
import { drive, newSession } from "../contract/home.ts";
import { postgresHome } from "./postgres-home.ts";
import { rawHosts, type RawHost, waitsForLock } from "./raw-hosts.ts";

const NOW = 1_000;
const draftOf = (id: string, title = "A\u0000 title \ud83d") => {
  const pen = logPen();
  const rows = pen.rows([sessionStart({ cwd: "/w\ue000" }), titleSet(title), turnStart("hi")]);
  return { pen, draft: { id, rows, state: encodeStateEntry(pen.state, false) } };
};
const record = (key: string, more: Partial<RecordDraft> = {}): RecordDraft => ({
  space: "s",
  key,
  value: "1",
  ...more,
});
const put = (host: RawHost, draft: RecordDraft, version?: number) =>
  writeRecord(host, { draft, now: NOW, ...(version !== undefined && { version }) });
function appenderOf(context: PostgresContext) {
  const quiet = () => undefined;
  const heard = { losses: 0 };
  const lost = (): void => void (heard.losses += 1);
  const presence = new Presence(context, { lost, buried: quiet, epochRose: quiet, time: quiet });
  const register = () => presence.register();
  return { heard, presence, appender: new Appender({ ...context, register, presence }) };
}
const bytesOf = (size: number): { readonly bytes: Uint8Array; readonly hash: string } => {
  const bytes = new Uint8Array(size).map((_, index) => index * 31);
  return { bytes, hash: createHash("sha256").update(bytes).digest("hex") };
};

describe.skipIf((await testPostgres()) === undefined)(
  "operations on PostgreSQL, hosts at the same time",
  () => {
    test("of hosts that write one record at once, one wins each version; nobody gets the place of an expired one twice", async () => {
      await using hosts = await rawHosts();
      const all = [await hosts.host("a"), await hosts.host("b"), await hosts.host("c")];
      const [a] = all;
      if (a === undefined) return;
      for (let round = 0; round < 30; round += 1) {
        const key = `k\u0000${round}`;
        if (round % 2 === 1) await put(a, record(key, { expiresAt: NOW }));
        const added = await Promise.all(
          all.map((host) => put(host, record(key, { value: host.host.id }), 0)),
        );
        expect(added.filter(({ written }) => written)).toHaveLength(1);
        expect(new Set(added.map(({ entry }) => entry.value)).size).toBe(1);
        const replaced = await Promise.all(
          all.map((host) => put(host, record(key, { value: host.host.id }), 1)),
        );
        expect(replaced.filter(({ written }) => written)).toHaveLength(1);
        const any = await Promise.all(all.map((host) => put(host, record(key, { value: "x" }))));
        expect(new Set(any.map(({ entry }) => entry.version))).toEqual(new Set([3, 4, 5]));
        expect(await readRecord(a, { space: "s", key, now: NOW })).toMatchObject({
          key,
          value: "x",
          version: 5,
        });
      }
      const found = await listRecords(a, {
        space: "s",
        limit: 99,
        now: NOW,
        prefix: "k\u0000",
        newestFirst: true,
      });
      expect(found.map(({ key }) => key)).toEqual(
        Array.from({ length: 30 }, (_, nth) => `k\u0000${29 - nth}`),
      );
      const removed = await Promise.all(
        all.map((host) => removeRecord(host, { space: "s", key: "k\u00000", now: NOW, version: 5 })),
      );
      expect(removed.filter(Boolean)).toHaveLength(1);
      await hosts.run("UPDATE records SET value = 'other' WHERE key LIKE '%1'");
      await expect(readRecord(a, { space: "s", key: "k\u00001", now: NOW })).rejects.toMatchObject({
        code: "store_corrupt",
      });
    });

    test("a request about records whose answer was lost finds that it was carried out when it is made again", async () => {
      await using hosts = await rawHosts();
      const [a, b] = [await hosts.host("a"), await hosts.host("b")];
      const add = { draft: record("k", { dueAt: 0 }), version: 0, now: NOW };
      const any = { draft: record("k", { value: "2", dueAt: 0 }), now: NOW };
      const replace = { draft: record("k", { value: "3", dueAt: 0 }), version: 2, now: NOW };
      for (const [index, request] of [add, any, replace].entries())
        for (let attempts = 0; attempts < 2; attempts += 1)
          expect(await writeRecord(a, request)).toMatchObject({
            written: true,
            entry: { version: index + 1 },
          });
      expect(await writeRecord(b, { ...replace })).toMatchObject({ written: false, entry: { version: 3 } });
      // Others have written and claimed it since: it was written all the same, and what its writer goes on from is old.
      expect((await put(b, record("k", { value: "4", dueAt: 0 }), 3)).written).toBe(true);
      const claim = { space: "s", limit: 9, now: NOW, dead: [] };
      expect((await claimRecords(b, claim)).entries.map(({ key }) => key)).toEqual(["k"]);
      expect(await writeRecord(a, replace)).toMatchObject({
        written: true,
        entry: { value: "3", version: 3 },
      });
      expect(await readRecord(a, { space: "s", key: "k", now: NOW })).toMatchObject({
        value: "4",
        version: 4,
      });
      // A try that arrives late changes nothing, also when the record was removed and another one is in its place.
      const remove = { space: "s", key: "k", now: NOW, version: 4 };
      const query: RawHost["sql"]["query"] = async (asked, values) => {
        await a.sql.query(asked, values);
        throw new PassingFailure("The connection broke.", { cause: undefined, isUnknown: true });
      };
      const unheard = { ...a, sql: Object.assign(Object.create(a.sql), { query }) as typeof a.sql };
      await expect(removeRecord(unheard, remove)).rejects.toThrow("broke");
      expect(await removeRecord(a, remove)).toBe(true);
      expect(await writeRecord(a, add)).toMatchObject({ written: true });
      expect(await readRecord(a, { space: "s", key: "k", now: NOW })).toBeUndefined();
      expect(await put(b, record("k", { value: "5" }), 0)).toMatchObject({
        written: true,
        entry: { version: 1 },
      });
      expect(await removeRecord(a, { ...remove, version: 1, key: "none" })).toBe(false);
      expect(await removeRecord(a, remove)).toBe(true);
      for (const request of [add, any, replace])
        expect(await writeRecord(a, request)).toMatchObject({ written: true });
      expect(await readRecord(a, { space: "s", key: "k", now: NOW })).toMatchObject({
        value: "5",
        version: 1,
      });
      // Of two that remove it one does, however often they ask; nor does anybody remove what is not there.
      const [mine, theirs] = [
        { ...remove, version: 1 },
        { ...remove, version: 1 },
      ];
      expect(await removeRecord(b, theirs)).toBe(true);
      for (let attempts = 0; attempts < 2; attempts += 1) expect(await removeRecord(a, mine)).toBe(false);
      await removeRecord(b, { ...mine });
      await hosts.run("UPDATE records SET request = repeat('x', 300)");
      await put(b, record("other"));
      await removeRecord(b, { ...mine, key: "other", version: 1 });
      expect(await hosts.run("SELECT key FROM records WHERE expires_at = 0")).toEqual([{ key: "other" }]);
    });

    test("a claim whose answer was lost is given out by the next one, and what is gone as it is added is added", async () => {
      await using hosts = await rawHosts();
      const [whole, b] = [await hosts.host("a"), await hosts.host("b")];
      let after: (() => Promise<void>) | undefined;
      const query: RawHost["sql"]["query"] = async (asked, values) => {
        const rows = await whole.sql.query(asked, values);
        await after?.();
        return rows;
      };
      const a = { ...whole, sql: Object.assign(Object.create(whole.sql), { query }) as typeof whole.sql };
      await put(b, record("k", { dueAt: 0 }));
      await put(b, record("l", { dueAt: 1 }));
      const claim = { space: "s", limit: 1, now: NOW, dead: [] };
      const broken = new PassingFailure("The connection broke.", { cause: undefined, isUnknown: true });
      after = () => Promise.reject(broken);
      await expect(claimRecords(a, claim)).rejects.toThrow("broke");
      after = undefined;
      // However often it asks, here and elsewhere, until the database is back.
      const away = () => Promise.reject(broken);
      const cutOff = {
        ...a,
        sql: Object.assign(Object.create(whole.sql), { query: away }) as typeof whole.sql,
      };
      for (let tries = 0; tries < 80; tries += 1)
        await expect(claimRecords(cutOff, { ...claim, space: tries % 2 ? "s" : "t" })).rejects.toBe(broken);
      const keys = async (host: RawHost) => (await claimRecords(host, claim)).entries.map(({ key }) => key);
      expect([await keys(a), await keys(a), await keys(a)]).toEqual([["k"], ["l"], []]);
      after = async () => {
        after = undefined;
        await removeRecord(b, { space: "s", key: "k", now: NOW });
      };
      expect(await put(a, record("k", { value: "new" }), 0)).toMatchObject({
        written: true,
        entry: { value: "new", version: 1 },
      });
    });

    test("due records go to one host each, however many ask; trimming and expiring at once takes each once", async () => {
      await using hosts = await rawHosts();
      const all = [await hosts.host("a"), await hosts.host("b"), await hosts.host("c")];
      const [a, b] = all;
      if (a === undefined || b === undefined) return;
      for (let nth = 0; nth < 60; nth += 1)
        await put(a, record(`${nth}`, { dueAt: nth, expiresAt: NOW + 1 + nth }));
      const ask = { space: "s", limit: 4, now: NOW, dead: [] };
      const claimed: string[] = [];
      for (let round = 0; round < 5; round += 1)
        for (const { entries } of await Promise.all(all.map((host) => claimRecords(host, { ...ask }))))
          claimed.push(...entries.map(({ key }) => key));
      expect(claimed.map(Number).toSorted((x, y) => x - y)).toEqual(
        Array.from({ length: 60 }, (_, nth) => nth),
      );
      const nothing = await claimRecords(a, { ...ask });
      expect(nothing.entries).toEqual([]);
      expect(nothing.holders.map(({ id }) => id).toSorted()).toEqual(["b", "c"]);
      const freed = await Promise.all(
        [a, b].map((host) => claimRecords(host, { ...ask, limit: 99, dead: ["c"] })),
      );
      expect(freed.flatMap(({ entries }) => entries)).toHaveLength(20);
      expect(freed.flatMap(({ entries }) => entries)[0]?.claim?.id).toMatch(/[ab]/);
      // A host that was taken for dead claims nothing.
      await put(a, record("late", { dueAt: 0 }));
      await hosts.run("UPDATE hosts SET ended = true WHERE id = 'a'");
      expect((await claimRecords(a, { ...ask })).entries).toEqual([]);
      expect((await claimRecords(b, { ...ask })).entries.map(({ key }) => key)).toEqual(["late"]);

      const trimmed = await Promise.all(all.map((host) => trimRecords(host, { space: "s", keep: 41 })));
      expect(trimmed.reduce((sum, count) => sum + count)).toBe(20);
      await Promise.all(all.map((host) => expireRecords(host, { now: NOW + 30 })));
      expect((await listRecords(a, { space: "s", limit: 99, now: 0, parent: "none" })).length).toBe(0);
      expect((await listRecords(a, { space: "s", limit: 99, now: 0 })).length).toBe(31);
    });

    test("commands are sent in order, taken once, and taken back or answered, never both", async () => {
      await using hosts = await rawHosts();
      const [owner, sender] = [await hosts.host("owner"), await hosts.host("sender")];
      await createSession(owner, draftOf("s").draft);
      const outbox = new CommandOutbox(sender);
      const send = (id: string) =>
        outbox.send({
          command: { id, session: "s", kind: "k", payload: `"${id}\u0000"`, deadline: 5 },
          now: NOW,
        });
      expect(await send("nobody")).toBeUndefined();
      await hosts.run("UPDATE sessions SET host = 'owner'");
      const ids = Array.from({ length: 40 }, (_, nth) => `c${nth}`);
      const sent = await Promise.all(ids.map(send));
      expect(sent.map((holder) => holder?.id)).toEqual(ids.map(() => "owner"));
      expect(sender.announced).toContainEqual({ command: "s" });
      const back = ids.slice(0, 10);
      const [taken, ...withdrawn] = await Promise.all([
        takeCommands(owner),
        ...back.map((id) => withdrawCommand(sender, { id, from: "owner", force: false })),
      ]);
      const stay = taken.map(({ id }) => id);
      expect(stay).toEqual(ids.filter((id) => stay.includes(id)));
      expect(stay.length + withdrawn.filter(({ open }) => !open).length).toBeGreaterThanOrEqual(40);
      expect(taken.at(-1)).toEqual({
        id: "c39",
        session: "s",
        kind: "k",
        payload: `"c39\u0000"`,
        deadline: 5,
      });
      expect(await takeCommands(owner)).toEqual([]);
      expect(await settledCommands(sender, ["c38", "c39", "none"])).toEqual(["none"]);
      await answerCommands(owner, { results: [{ id: "c39", ok: false, body: "{}" }] });
      expect(owner.announced).toEqual([{ moved: "s" }, { settled: "c39" }]);
      expect(await settledCommands(sender, ["c38", "c39"])).toEqual(["c39"]);
      expect(await withdrawCommand(sender, { id: "c38", from: undefined, force: false })).toEqual({
        open: true,
      });
      expect((await answererOf(sender, { id: "c38" }))?.id).toBe("owner");
      const result = { id: "c39", ok: false, body: "{}" };
      expect(await withdrawCommand(sender, { id: "c39", from: undefined, force: false })).toEqual({
        open: false,
        result,
      });
      expect(await withdrawCommand(sender, { id: "c39", from: undefined, force: true })).toEqual({
        open: false,
      });
      await sweep(owner, { now: 60_006, shard: "00" });
      expect(await settledCommands(sender, ["c38"])).toEqual(["c38"]);
    });

    test("a command whose owner had gone as it was sent again is carried out by nobody, or answered to its sender", async () => {
      await using hosts = await rawHosts();
      const [owner, sender] = [await hosts.host("owner"), await hosts.host("sender")];
      await createSession(owner, draftOf("s").draft);
      const outbox = new CommandOutbox(sender);
      const request = (id: string) => ({
        command: { id, session: "s", kind: "k", payload: "1", deadline: 5 },
        now: NOW,
      });
      const own = (host: string) => hosts.run(`UPDATE sessions SET host = ${host}`);
      // The answer to the first try is lost, and the owner lets go of the session.
      await own("'owner'");
      await outbox.send(request("stored"));
      await own("NULL");
      expect(await outbox.send(request("stored"))).toBeUndefined();
      expect(await keepOutCommand(sender, request("stored"))).toBeUndefined();
      // The first try arrives after all; that it is kept out may be asked for again, too.
      expect(await keepOutCommand(sender, request("late"))).toBeUndefined();
      expect(await keepOutCommand(sender, request("late"))).toBeUndefined();
      await own("'owner'");
      await outbox.send(request("late"));
      expect(await takeCommands(owner)).toEqual([]);
      const kept = await withdrawCommand(sender, { id: "late", from: undefined, force: false });
      expect([kept.result?.ok, JSON.parse(kept.result?.body ?? "")]).toMatchObject([
        false,
        { code: "lease_lost" },
      ]);
      // Somebody else has the session by now, and the command with it.
      await outbox.send(request("taken"));
      expect((await keepOutCommand(sender, request("taken")))?.id).toBe("owner");
      expect((await takeCommands(owner)).map(({ id }) => id)).toEqual(["taken"]);
    });

    test("an append of a group that fails leaves the others as they are, and none is made twice", async () => {
      await using hosts = await rawHosts();
      // Nothing here ends because somebody lost patience, however slow the machine is.
      const whole = { ...(await hosts.host("a")), patienceMs: 60_000 };
      const full = new HostError("store_full", "No room.");
      const faults: { answer?: HostError; again?: HostError } = {};
      const query: RawHost["sql"]["query"] = async (asked, values) => {
        if (asked.name === "agent_register") throw full;
        const rows = await whole.sql.query(asked, values);
        const { answer } = faults;
        if (asked !== APPEND || answer === undefined) return rows;
        delete faults.answer;
        throw answer;
      };
      const transaction: RawHost["sql"]["transaction"] = async (work) => {
        const { again } = faults;
        delete faults.again;
        if (again !== undefined) throw again;
        return await whole.sql.transaction(work);
      };
      const sql = new Proxy(whole.sql, {
        get(target, name) {
          if (name === "query" || name === "transaction") return name === "query" ? query : transaction;
          return Reflect.get(target, name, target) as unknown;
        },
      });
      const { appender } = appenderOf({ ...whole, sql, beats: sql });
      const [s, t] = [draftOf("s"), draftOf("t")];
      for (const { draft } of [s, t]) await createSession(whole, draft);
      const append = ({ pen, draft }: typeof s, release: boolean) => {
        const { state, ...rest } = pen.append(draft.id, [titleSet("next")], { release });
        return appender.append({ ...rest, ...(state && { state: encodeStateEntry(state, false) }) });
      };
      faults.answer = new PassingFailure("It broke.", { cause: undefined, isUnknown: true });
      faults.again = full;
      expect(await Promise.all([append(s, true), append(t, true)])).toEqual([
        { status: "ok" },
        { status: "ok" },
      ]);
      expect(faults).toEqual({});
      // Why it cannot be asked for again is not why it failed: it was carried out.
      const broken = new PassingFailure("It broke.", { cause: undefined, isUnknown: true });
      Object.assign(faults, { answer: broken, again: full });
      await expect(append(s, true)).rejects.toMatchObject({ code: "store_unavailable", cause: full });
      await hosts.run("DELETE FROM hosts");
      const [released, driven] = await Promise.allSettled([append(s, true), append(t, false)]);
      expect(released).toMatchObject({ value: { status: "ok" } });
      expect(driven).toMatchObject({ reason: { code: "store_full" } });
      expect(await hosts.run("SELECT id, n FROM sessions ORDER BY id")).toEqual([
        { id: "s", n: 6 },
        { id: "t", n: 4 },
      ]);
    });

    test("a host that is forgotten as it makes and takes sessions loses its word at once, and does so when it is there again", async () => {
      await using hosts = await rawHosts();
      const a = await hosts.host("a");
      const { appender, presence, heard } = appenderOf(a);
      await presence.register();
      const forgotten = (asked: EncodedAppend) =>
        hosts.sql.transaction(async (within) => {
          await within.execute("DELETE FROM hosts");
          const answer = appender.append(asked);
          await waitsForLock(hosts, a);
          return { answer };
        });
      const pen = logPen();
      const encoded = ({ state, ...rest }: ReturnType<typeof pen.append>): EncodedAppend => ({
        ...rest,
        ...(state && { state: encodeStateEntry(state, false) }),
      });
      const made = await forgotten(encoded(pen.append("s", [sessionStart()], { creates: true })));
      expect(await made.answer).toMatchObject({ status: "ok" });
      expect(await hosts.run("SELECT host FROM sessions")).toEqual([{ host: "a" }]);
      expect(heard.losses).toBe(1);
      // Its word would last for a long time yet.
      await hosts.run("UPDATE sessions SET host = NULL");
      const taken = await forgotten(encoded(pen.append("s", [titleSet("taken")])));
      expect(await taken.answer).toMatchObject({ status: "ok" });
      expect(await hosts.run("SELECT host FROM sessions")).toEqual([{ host: "a" }]);
      expect(heard.losses).toBe(2);
      presence.stop();
    });

    test("a command that is taken back while it is carried out leads to nothing", async () => {
      await using home = await postgresHome();
      const store = await home.openHost();
      const sql = new Connections({ url: home.url, most: 2, name: "test" });
      const pen = await newSession(store, "s");
      const fence = await drive(store, "s", pen);
      await sql.query(
        statement(
          "test_taken",
          "INSERT INTO commands (id, session, kind, payload, deadline, taken) SELECT 'c', key, 'k', '1', 5, $1 FROM sessions",
        ),
        [store.hostId],
      );
      const append = pen.append("s", [titleSet("done")], {
        fence,
        results: [{ id: "c", ok: true, body: "1" }],
      });
      const carrying = await sql.transaction(async (within) => {
        await within.query(statement("test_hold", "SELECT 1 FROM commands FOR UPDATE"));
        const carried = store.append(append);
        const text =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while ((await sql.query(statement("test_waits", text))).length === 0);
        await within.execute("DELETE FROM commands");
        return { carried };
      });
      expect(await carrying.carried).toEqual({ status: "withdrawn", commands: ["c"] });
      expect((await store.record("s"))?.state.title).not.toBe("done");
      expect(await store.append({ ...append, results: [] })).toEqual({ status: "ok", fence });
      await sql.close();
    });

    test("a transaction whose host vanished without a word holds nothing for ever", async () => {
      await using hosts = await rawHosts();
      const { sql } = await hosts.host("a");
      const silent = sql.transaction(async (within) => {
        const setting = "SELECT current_setting('idle_in_transaction_session_timeout') AS longest";
        expect(await within.query(statement("test_longest", setting))).toEqual([{ longest: "15s" }]);
        await within.execute("SET LOCAL idle_in_transaction_session_timeout = 1");
        const open =
          "SELECT 1 FROM pg_stat_activity WHERE application_name = 'a' AND state LIKE 'idle in trans%'";
        while ((await hosts.run(open)).length > 0);
        await within.execute("SELECT 1");
      });
      await expect(silent).rejects.toMatchObject({ code: "store_unavailable" });
      expect(await sql.query(statement("test_one", "SELECT 1 AS one"))).toEqual([{ one: 1 }]);
    });

    test("no entry of the feed becomes visible behind a reader", async () => {
      await using hosts = await rawHosts();
      const [a, b] = [await hosts.host("a"), await hosts.host("b")];
      for (const id of ["early", "late"]) await createSession(a, draftOf(id).draft);
      const enter = (id: string): string =>
        `INSERT INTO feed (session, seq, at) SELECT key, 1, ${NOW} FROM sessions WHERE id = '${id}'`;
      const first = await readFeed(b, { after: 0, limit: 2 });
      expect(first.rows.map(({ session, row }) => [session, row.type])).toEqual([
        ["early", "session.start"],
        ["late", "session.start"],
      ]);
      expect(await readFeed(a, { after: first.next, limit: 9 })).toEqual({ rows: [], next: first.next });
      const between = await a.sql.transaction(async (sql) => {
        await sql.execute(enter("early"));
        await hosts.run(enter("late"));
        return readFeed(b, { after: first.next, limit: 9 });
      });
      expect(between.rows.map(({ session }) => session)).toEqual(["late"]);
      const rest = await readFeed(b, { after: between.next, limit: 9 });
      expect(rest.rows.map(({ session }) => session)).toEqual(["early"]);

      const write = async (host: RawHost): Promise<void> => {
        for (let nth = 0; nth < 25; nth += 1)
          await host.sql.transaction(async (sql) => {
            await sql.execute(enter("early"));
            await sql.execute(enter("late"));
          });
      };
      const follow = async (host: RawHost): Promise<readonly number[]> => {
        const seen: number[] = [];
        for (let { next } = rest; seen.length < 150;) {
          const page = await readFeed(host, { after: next, limit: 20 });
          seen.push(...page.rows.map(({ position }) => position));
          next = page.next;
        }
        return seen;
      };
      const [one, two] = await Promise.all([follow(a), follow(b), write(a), write(b), write(a)]);
      expect(one).toEqual(two);
      expect(new Set(one).size).toBe(150);
      await hosts.run(
        "UPDATE rows SET body = '' WHERE seq = 1 AND session = (SELECT key FROM sessions WHERE id = 'late')",
      );
      expect((await readFeed(a, { after: rest.next, limit: 150 })).rows).toHaveLength(75);
      await hosts.run(enter("late"));
      await sweepFeed(a, NOW + 31 * 24 * 3_600_000);
      expect(await hosts.run("SELECT 1 FROM feed")).toEqual([]);
    });

    test("a blob that somebody claims while it is deleted is put again, and one that was claimed before stays", async () => {
      await using hosts = await rawHosts();
      const [a, b] = [await hosts.host("a"), await hosts.host("b")];
      const blobs = databaseBlobs(a.sql);
      for (const size of [0, 7, 256 * 1024, 256 * 1024 + 1, 5_000_000]) {
        const { bytes, hash } = bytesOf(size);
        await expect(blobs.get(hash)).rejects.toMatchObject({ code: "blob_not_found" });
        await Promise.all([
          blobs.put(hash, bytes),
          databaseBlobs(b.sql).put(hash, bytes),
          blobs.put(hash, bytes),
        ]);
        expect(Buffer.compare(await blobs.get(hash), bytes)).toBe(0);
      }
      const { hash, bytes } = bytesOf(7);
      const claiming = await a.sql.transaction(async (sql) => {
        await deleteUnusedBlobs(sql, [hash]);
        const claim = claimBlob(b, { hash, now: NOW });
        await waitsForLock(hosts, b);
        return { claim };
      });
      await claiming.claim;
      await databaseBlobs(b.sql).put(hash, bytes);
      await a.sql.transaction((sql) => deleteUnusedBlobs(sql, [hash]));
      expect(Buffer.compare(await blobs.get(hash), bytes)).toBe(0);

      const deleting = await b.sql.transaction(async (sql) => {
        const small = bytesOf(0).hash;
        const claim = statement(
          "test_claim",
          "INSERT INTO blob_claims SELECT hash, 'b', 1, 1 FROM blobs WHERE hash = $1 FOR KEY SHARE",
        );
        await sql.query(claim, [small]);
        const gone = a.sql.transaction((within) => deleteUnusedBlobs(within, [small]));
        await waitsForLock(hosts, a);
        return { gone };
      });
      await deleting.gone;
      expect(await blobs.get(bytesOf(0).hash)).toHaveLength(0);
      // What nobody names and nobody claims goes once it is old.
      await hosts.run("UPDATE blobs SET put_at = now() - interval '2 days'");
      await sweep(a, { now: NOW, shard: "00" });
      expect(await hosts.run("SELECT size FROM blobs ORDER BY size")).toEqual([{ size: 0 }, { size: 7 }]);
      await hosts.run("UPDATE blob_chunks SET bytes = 'rotten' WHERE hash = $1", [hash]);
      await expect(blobs.get(hash)).rejects.toMatchObject({ code: "blob_not_found" });
    });

    test("no row names a blob that is just removed", async () => {
      await using home = await postgresHome();
      const store = await home.openHost();
      const sql = new Connections({ url: home.url, most: 2, name: "test" });
      const pen = await newSession(store, "s");
      const { bytes } = bytesOf(9);
      const { hash } = await store.putBlob(bytes);
      const append = pen.append("s", [titleSet("a picture")], { blobs: [hash], release: true });
      const first = logPen().append("t", [sessionStart()], { blobs: [hash], creates: true });
      // Whoever took the host for dead has forgotten that it was about to name the blob.
      await sql.execute("DELETE FROM blob_claims");
      const naming = await sql.transaction(async (within) => {
        await deleteUnusedBlobs(within, [hash]);
        const named = store.append(append).catch(({ code }: { code: string }) => code);
        const text =
          "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
        while ((await sql.query(statement("test_waits", text))).length === 0);
        return { named };
      });
      expect(await naming.named).toBe("blob_not_found");
      await expect(store.append(first)).rejects.toMatchObject({ code: "blob_not_found" });
      expect((await store.record("s"))?.state.title).not.toBe("a picture");
      expect(await store.record("t")).toBeUndefined();
      await store.putBlob(bytes);
      expect(await store.append(append)).toMatchObject({ status: "ok" });
      expect(await store.append(first)).toMatchObject({ status: "ok" });
      expect(await store.getBlob(hash)).toHaveLength(9);
      await sql.close();
    });

    test("sessions are made once, branch while they are removed, and leave nothing behind", async () => {
      await using hosts = await rawHosts();
      const [a, b] = [await hosts.host("a"), await hosts.host("b")];
      const { pen, draft } = draftOf("p\u0000");
      const made = await Promise.all([a, b, a, b].map((host) => createSession(host, draft)));
      expect(made.filter(Boolean)).toHaveLength(1);
      const state = JSON.stringify(pen.state);
      expect(await findSession(a, { session: draft.id })).toEqual({
        id: draft.id,
        stale: false,
        damaged: false,
        state,
      });
      await hosts.run("INSERT INTO blob_refs SELECT $1, key FROM sessions", ["h"]);

      const branch = logPen(undefined, pen.state);
      const rows = branch.rows([{ type: "session.branch", parentId: draft.id, title: "Two" }]);
      const to = { from: draft.id, head: pen.head, rows, state: encodeStateEntry(branch.state, false) };
      await expect(branchSession(a, { ...to, id: "x", head: { n: 9, seq: 9 } })).rejects.toMatchObject({
        code: "session_not_found",
      });
      await expect(branchSession(a, { ...to, id: "x", from: "none" })).rejects.toMatchObject({
        code: "session_not_found",
      });
      const copies = Array.from({ length: 12 }, (_, nth) => `copy${nth}`);
      const [removed, ...branched] = await Promise.all([
        removeSession(b, { session: draft.id, holder: undefined }),
        ...copies.map(async (id) =>
          branchSession(a, { ...to, id }).catch(({ code }: { code: string }) => code),
        ),
      ]);
      expect(removed).toEqual({ removed: true });
      while ((await Promise.all([purgeRemovedSession(a), purgeRemovedSession(b)])).some(Boolean));
      for (const outcome of branched) expect([true, "session_not_found"]).toContain(outcome);
      const there = copies.filter((_, index) => branched[index] === true);
      for (const id of there) expect(await rebuildState(a, { session: id })).toBe(true);
      const found = await listSessions(b, { limit: 99, offset: 0 });
      expect(found.map(({ id }) => id).toSorted()).toEqual(there.toSorted());
      for (const entry of found)
        expect(entry).toMatchObject({ stale: false, damaged: false, state: JSON.stringify(branch.state) });
      expect(await hosts.run("SELECT count(*) AS count FROM rows")).toEqual([{ count: there.length * 4 }]);
      expect(await hosts.run("SELECT count(*) AS count FROM blob_refs")).toEqual([{ count: there.length }]);
    });

    test("what a host takes at the moment in which it is forgotten is found by others", async () => {
      await using hosts = await rawHosts();
      const [a, b] = [await hosts.host("a"), await hosts.host("b")];
      await createSession(a, draftOf("s").draft);
      const holds = (holder: string) =>
        statement(`hold_${holder}`, `UPDATE sessions SET host = '${holder}', fence = 7 WHERE id = 's'`);
      let forgotten: Promise<void> | undefined;
      await hosts.sql.transaction(async (within) => {
        // As who takes a session does.
        await within.query(statement("here", "SELECT 1 FROM hosts WHERE id = 'b' FOR KEY SHARE"));
        await within.query(holds("b"));
        forgotten = forgetHost(a, { host: "b", beat: undefined });
        await waitsForLock(hosts, a);
      });
      await forgotten;
      expect((await listHosts(a)).find(({ host }) => host.id === "b")).toMatchObject({ sessions: ["s"] });

      await hosts.sql.query(holds("nobody"));
      const found = (await listHosts(b)).find(({ host }) => host.id === "nobody");
      expect(found).toMatchObject({ host: { ended: true }, sessions: ["s"] });
      expect(await takeOver(b, { session: "s", from: "nobody", beat: 0 })).toBeDefined();
      expect(await listHosts(b)).toHaveLength(2);
    });

    test("a state that cannot be read is made anew, as far as the rows go; who is driven is not removed", async () => {
      await using hosts = await rawHosts();
      const [a, b] = [await hosts.host("a"), await hosts.host("b")];
      const { pen, draft } = draftOf("s");
      await createSession(a, draft);
      const whole = await findSession(a, { session: "s" });
      await hosts.run("UPDATE states SET body = '{}'");
      await hosts.run("UPDATE sessions SET title = '', n = 1, seq = 1, host = 'b'");
      expect(await findSession(a, { session: "s" })).toMatchObject({ stale: true, holder: { id: "b" } });
      await rebuildState(a, { session: "s" });
      expect(await findSession(a, { session: "s" })).toMatchObject({ ...whole, holder: { id: "b" } });
      expect(await listSessions(a, { limit: 9, offset: 0, title: pen.state.title })).toHaveLength(1);
      await hosts.run("UPDATE rows SET body = 'x' WHERE n = 3");
      await hosts.run("UPDATE states SET version = 0");
      await rebuildState(a, { session: "s" });
      const damaged = await findSession(a, { session: "s" });
      expect(damaged).toMatchObject({ stale: false, damaged: true });
      expect(JSON.parse(damaged?.state ?? "")).toMatchObject({ n: 2, title: pen.state.title });

      expect(await removeSession(a, { session: "s", holder: undefined })).toMatchObject({
        removed: false,
        holder: { id: "b" },
      });
      await hosts.run("UPDATE hosts SET beat_at = now() - interval '1 minute'");
      expect(await findHolder(b, { session: "s" })).toMatchObject({ expired: true });
      expect(await removeSession(a, { session: "s", holder: "b" })).toEqual({ removed: true });
      expect(await removeSession(a, { session: "s", holder: "b" })).toEqual({ removed: false });
    });
  },
);
