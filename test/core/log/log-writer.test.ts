import { describe, expect, test } from "vitest";
import {
  createRedactor,
  decodeRow,
  type DurableEvent,
  HostError,
  NO_USAGE,
  type PieceSave,
  type Store,
} from "../../../src/core/index.ts";
import { LogWriter } from "../../../src/core/log/log-writer.ts";
import { SessionLog } from "../../../src/core/log/session-log.ts";
import { readEvents } from "../../../src/core/log/reader.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { handClock } from "../../kit/clock.ts";
import { logPen, sessionStart, titleSet } from "../../kit/log-pen.ts";
import { untilTrue } from "../../kit/test-host.ts";
import { HeldAppends } from "./held-appends.ts";

const ID = "s";
const disk = new HostError("store_unavailable", "The disk is full.");

/**
 * A session in a home in memory, a second process there, and the first one's writer, which holds the lease.
 *
 * @param savesPieces - text is saved beside the appends, as SQLite does; else only with them
 */
async function stage({ savesPieces = false } = {}) {
  const home = memoryHome();
  const clock = handClock();
  const dead = new Set<number>();
  const process = (pid: number): Store =>
    home.open({
      identity: { pid, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" },
      isRunning: (each) => !dead.has(each.pid),
      clock,
    });
  const store = process(1);
  const pen = logPen();
  await store.create(ID, pen.rows([sessionStart()]), pen.state);
  const held = new HeldAppends(store);
  const heard: string[] = [];
  const saved: PieceSave[] = [];
  const redactor = createRedactor([]);
  const log = new SessionLog(ID, pen.state, {
    ports: { store, clock },
    onRows: (rows) => heard.push(...rows.map(({ event }) => `row ${nameOf(event)}`)),
  });
  const ports = {
    store: {
      append: held.append,
      answer: store.answer.bind(store),
      savePieces: (save: PieceSave) => savesPieces && (saved.push(save), true),
    },
    clock,
    redactor: () => redactor,
    observe: () => undefined,
  };
  const writer = new LogWriter(log, ports, {
    planned: (rows) => heard.push(...rows.map(({ event }) => `planned ${nameOf(event)}`)),
    failed: ({ code }) => heard.push(`failed ${code}`),
    leaseLost: () => heard.push("lease lost"),
  });
  await writer.transact(() => ({ events: [titleSet("0")], value: undefined, lease: "take" }));
  await writer.settled();
  heard.length = 0;
  held.hold();
  const other = process(2);
  /** The other process takes the first one for dead, and takes its lease. */
  const takeOver = async (): Promise<number> => {
    dead.add(1);
    await other.findDead();
    return (await other.takeOver(ID, store.hostId))?.fence ?? 0;
  };
  return { store, other, takeOver, held, heard, saved, log, writer };
}

type Stage = Awaited<ReturnType<typeof stage>>;

const nameOf = (event: DurableEvent): string => (event.type === "title.set" ? event.title : event.type);

/** Appends titles, each in a tick of its own, so that each is an append of its own; gives their ends in a word each. */
async function titles({ writer }: Stage, ...texts: readonly string[]): Promise<readonly string[]> {
  const ends: Promise<string>[] = [];
  for (const text of texts) {
    const done = writer.transact(() => ({ events: [titleSet(text)], value: text }));
    ends.push(done.catch((thrown: HostError) => `${text}: ${thrown.code}`));
    await Promise.resolve();
  }
  return await Promise.all(ends);
}

/** The names of the rows that the store has, the session's first one left out. */
async function stored({ store }: Stage): Promise<readonly string[]> {
  const page = await store.read(ID, { after: 1, limit: 100 });
  return (page?.rows ?? []).map((row) => nameOf(decodeRow(row).event));
}

/** Appends a reply with all text that streamed, and gives its segments. */
const endReply = (writer: LogWriter): Promise<readonly string[]> =>
  writer.transact(({ segments }) => {
    const event: DurableEvent = {
      type: "reply.complete",
      turnId: "t",
      segments: segments(),
      calls: [],
      finish: "stop",
      usage: NO_USAGE,
      provider: "p",
      model: "m",
    };
    return { events: [event], value: segments().map(({ text }) => text) };
  });

describe("appends in flight under a lease", () => {
  test("leave without waiting for each other and commit in their order, however their answers come", async () => {
    const on = await stage();
    const ends = titles(on, "a", "b", "c");
    const [a, b, c] = await on.held.sent(3);
    expect(on.heard).toEqual(["planned a", "planned b", "planned c"]);
    expect([on.log.state.title, on.writer.plannedState.title]).toEqual(["0", "c"]);
    for (const append of [a, b, c]) await append?.carryOut();
    for (const append of [c, b]) append?.answer();
    expect(on.log.state.title).toBe("0");
    a?.answer();
    expect(await ends).toEqual(["a", "b", "c"]);
    expect(on.heard.slice(3)).toEqual(["row a", "row b", "row c"]);
    expect(await stored(on)).toEqual(["0", "a", "b", "c"]);
  });

  test("are at most eight; what comes then goes together when one has arrived", async () => {
    const on = await stage();
    const names = "abcdefghijk".split("");
    const ends = titles(on, ...names);
    expect(await on.held.sent(8)).toHaveLength(8);
    await on.held.passAll();
    expect(await ends).toEqual(names);
    expect(on.heard.filter((word) => word.startsWith("row"))).toHaveLength(11);
  });

  test("wait for one that gives the lease back, and for the first that takes it", async () => {
    const on = await stage();
    const given = on.writer.transact(() => ({ events: [], value: "given", lease: "give" }));
    await Promise.resolve();
    const taken = on.writer.transact(({ holdsLease }) => ({
      events: [titleSet("t")],
      value: holdsLease,
      lease: "take",
    }));
    await Promise.resolve();
    const last = titles(on, "z");
    expect(await on.held.sent(1)).toHaveLength(1);
    await on.held.passAll();
    expect([await given, await taken, await last]).toEqual(["given", false, ["z"]]);
    expect(on.log.holdsLease).toBe(true);
  });

  test("one decision that throws is rejected alone", async () => {
    const on = await stage();
    await on.held.passAll();
    const bad = on.writer.transact(() => {
      throw new HostError("session_busy", "no");
    });
    const good = titles(on, "good");
    await expect(bad).rejects.toMatchObject({ code: "session_busy" });
    expect(await good).toEqual(["good"]);
  });
});

describe("text whose row is on its way", () => {
  /** Two appends in flight: a title, and a reply with text that streamed meanwhile. */
  async function replyBehindTitle() {
    const on = await stage({ savesPieces: true });
    const title = titles(on, "a");
    await on.held.sent(1);
    on.writer.stream({ type: "message.delta", text: "Hello" });
    const reply = endReply(on.writer).catch(({ code }: HostError) => code);
    const [first, second] = await on.held.sent(2);
    return { on, title, reply, first, second };
  }

  const shown = (log: SessionLog) => Array.fromAsync(readEvents(log, { after: 2, follow: false }));
  const HELLO = { type: "message.delta", text: "Hello" };

  test("is saved and shown as soon as all before it is committed, and once", async () => {
    const { on, title, reply, first, second } = await replyBehindTitle();
    expect(await shown(on.log)).toEqual([]);
    await first?.carryOut();
    first?.answer();
    expect(await title).toEqual(["a"]);
    await untilTrue(() => on.saved.length > 0);
    expect(on.saved).toMatchObject([{ n: 3, pieces: [{ text: "Hello" }] }]);
    expect(await shown(on.log)).toMatchObject([{ type: "title.set" }, HELLO]);
    await second?.carryOut();
    second?.answer();
    expect(await reply).toEqual(["Hello"]);
    expect(await shown(on.log)).toMatchObject([{ type: "title.set" }, HELLO, { type: "reply.complete" }]);
    expect(on.saved).toHaveLength(1);
  });

  test("is not shown when what is before it fails, and is part of the next reply", async () => {
    const { on, reply, first, second } = await replyBehindTitle();
    first?.fail(disk);
    second?.fail(disk);
    expect(await reply).toBe("store_unavailable");
    expect(on.saved).toEqual([]);
    await on.held.passAll();
    expect(await endReply(on.writer)).toEqual(["Hello"]);
    expect(await shown(on.log)).toMatchObject([HELLO, { type: "reply.complete" }]);
  });

  test("was shown, and its row fails: the next reply has it, with its cursors", async () => {
    const { on, reply, first, second } = await replyBehindTitle();
    await first?.carryOut();
    first?.answer();
    second?.fail(disk);
    expect(await reply).toBe("store_unavailable");
    const [, before] = await shown(on.log);
    await on.held.passAll();
    expect(await endReply(on.writer)).toEqual(["Hello"]);
    const [, after] = await shown(on.log);
    expect(after).toMatchObject(HELLO);
    expect(after?.seq).toBe(before?.seq);
  });
});

describe("when an append fails", () => {
  test.each([
    { failing: 0, ends: ["a: store_unavailable", "b: store_unavailable", "c: store_unavailable"], left: [] },
    { failing: 1, ends: ["a", "b: store_unavailable", "c: store_unavailable"], left: ["a"] },
    { failing: 2, ends: ["a", "b", "c: store_unavailable"], left: ["a", "b"] },
  ])(
    "number $failing of three: those before it hold, those on top of it do not, the next one works",
    async ({ failing, ends, left }) => {
      const on = await stage();
      const all = titles(on, "a", "b", "c");
      for (const [index, append] of (await on.held.sent(3)).entries()) {
        if (index === failing) append.fail(disk);
        else await append.carryOut().then(() => append.answer());
      }
      expect(await all).toEqual(ends);
      expect(on.heard.slice(3)).toEqual([...left.map((text) => `row ${text}`), "failed store_unavailable"]);
      expect(on.writer.plannedState).toBe(on.log.state);
      expect(on.log.state.title).toBe(left.at(-1) ?? "0");
      await on.held.passAll();
      expect(await titles(on, "next")).toEqual(["next"]);
      expect(await stored(on)).toEqual(["0", ...left, "next"]);
      expect(on.log.state.title).toBe("next");
    },
  );

  test("after the store has carried it out: the next one is decided again on what is there", async () => {
    const on = await stage();
    const lost = titles(on, "a");
    const [a] = await on.held.sent(1);
    await a?.carryOut();
    a?.fail(disk);
    expect(await lost).toEqual(["a: store_unavailable"]);
    await on.held.passAll();
    const seen: string[] = [];
    await on.writer.transact(
      ({ state }) => (seen.push(state.title), { events: [titleSet("b")], value: undefined }),
    );
    expect(seen).toEqual(["0", "a"]);
    expect(await stored(on)).toEqual(["0", "a", "b"]);
    expect(on.heard.filter((word) => word.startsWith("row"))).toEqual(["row a", "row b"]);
  });

  test("the text in it goes into the next reply, and keeps its cursors", async () => {
    const on = await stage();
    on.writer.stream({ type: "message.delta", text: "Hello" });
    const [pieces] = await on.held.sent(1);
    expect(pieces?.request.pieces).toMatchObject([{ text: "Hello" }]);
    const lost = endReply(on.writer).catch(({ code }: HostError) => code);
    await on.held.sent(2);
    on.writer.stream({ type: "message.delta", text: " again" });
    pieces?.fail(disk);
    (await on.held.sent(2))[1]?.fail(disk);
    expect(await lost).toBe("store_unavailable");
    expect(on.writer.hasStreamedText).toBe(true);
    await on.held.passAll();
    // The row that failed had a cursor between them.
    expect(await endReply(on.writer)).toEqual(["Hello", " again"]);
    expect(on.writer.hasStreamedText).toBe(false);
    const events = await Array.fromAsync(readEvents(on.log, { after: 2, follow: false }));
    expect(events).toMatchObject([
      { type: "message.delta", text: "Hello" },
      { type: "message.delta", text: " again" },
      { type: "reply.complete" },
    ]);
    expect(await stored(on)).toEqual(["0", "reply.complete"]);
  });

  test("streams that wait for room go on", async () => {
    const on = await stage();
    on.writer.stream({ type: "message.delta", text: "x".repeat(100) });
    const [pieces] = await on.held.sent(1);
    const room = on.writer.waitForRoom(10, new AbortController().signal);
    pieces?.fail(disk);
    expect(await room).toBeUndefined();
  });
});

describe("when the lease is lost in flight", () => {
  test("all that was on its way is rejected, the text is dropped, and the next append is decided without it", async () => {
    const on = await stage();
    on.writer.stream({ type: "message.delta", text: "mine" });
    const all = titles(on, "a", "b");
    const sent = await on.held.sent(2);
    await on.takeOver();
    for (const append of sent) await append.carryOut().then(() => append.answer());
    expect(await all).toEqual(["a: lease_lost", "b: lease_lost"]);
    expect(on.heard.slice(2)).toEqual(["lease lost", "failed lease_lost"]);
    expect([on.log.holdsLease, on.writer.hasStreamedText]).toEqual([false, false]);
    on.writer.stream({ type: "message.delta", text: "late" });
    expect(on.writer.hasStreamedText).toBe(false);
    await on.held.passAll();
    expect(await titles(on, "c")).toEqual(["c: lease_lost"]);
    expect(await stored(on)).toEqual(["0"]);
  });

  test("what the store had carried out before is there, and the text that streamed is dropped all the same", async () => {
    const on = await stage();
    on.writer.stream({ type: "message.delta", text: "mine" });
    const done = titles(on, "a");
    const [append] = await on.held.sent(1);
    await append?.carryOut();
    await on.takeOver();
    append?.answer({ status: "ok", fence: undefined });
    expect(await done).toEqual(["a"]);
    expect(on.heard.slice(1)).toEqual(["row a", "lease lost"]);
    expect([on.log.holdsLease, on.writer.hasStreamedText]).toEqual([false, false]);
    expect(on.log.cursor).toBe(on.log.state.seq);
  });
});

describe("when the session is deleted in flight", () => {
  test("all that was on its way is rejected, and its readers end", async () => {
    const on = await stage();
    const reading = Array.fromAsync(readEvents(on.log)).catch(({ code }: HostError) => code);
    const all = titles(on, "a", "b");
    const sent = await on.held.sent(2);
    await on.store.remove(ID);
    for (const append of sent) await append.carryOut().then(() => append.answer());
    expect(await all).toEqual(["a: session_not_found", "b: session_not_found"]);
    expect(await reading).toBe("session_not_found");
    expect(on.log.gone).toBe(true);
  });
});

describe("without a lease", () => {
  test("an append waits until the one before has arrived, and is decided again where another process was faster", async () => {
    const on = await stage();
    await on.held.passAll();
    await on.writer.transact(() => ({ events: [], value: undefined, lease: "give" }));
    const pen = logPen(undefined, on.log.state);
    await on.other.append(pen.append(ID, [titleSet("theirs")], { release: true }));
    expect(await titles(on, "a", "b")).toEqual(["a", "b"]);
    expect(await stored(on)).toEqual(["0", "theirs", "a", "b"]);
    expect(on.log.holdsLease).toBe(false);
  });
});

describe("for a dead owner", () => {
  test("a writer goes on after the text that it left, and the reply holds both parts", async () => {
    const on = await stage();
    on.writer.stream({ type: "message.delta", text: "Once " });
    await on.held.sent(1);
    await on.held.passAll();
    const fence = await on.takeOver();
    const log = new SessionLog(ID, on.log.state, {
      ports: { store: on.other, clock: handClock() },
      onRows: () => undefined,
    });
    const ports = {
      store: on.other,
      clock: handClock(),
      redactor: () => createRedactor([]),
      observe: () => undefined,
    };
    const listener = { planned: () => undefined, failed: () => undefined, leaseLost: () => undefined };
    const writer = new LogWriter(log, ports, listener);
    const queued = writer.transact(({ segments }) => ({ events: [], value: segments().length }));
    const adopted = writer.adopt({ fence, reserved: undefined }, ({ segments }) => ({
      events: [titleSet("taken")],
      value: segments().map(({ text }) => text),
    }));
    expect(await adopted).toEqual(["Once "]);
    expect(await queued).toBe(1);
    writer.stream({ type: "message.delta", text: "more" });
    expect(await endReply(writer)).toEqual(["Once ", "more"]);
    expect(await stored(on)).toEqual(["0", "taken", "reply.complete"]);
  });
});
