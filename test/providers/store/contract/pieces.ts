import { expect, test } from "vitest";
import {
  createRedactor,
  type DurableEvent,
  NO_USAGE,
  type Piece,
  type Store,
} from "../../../../src/core/index.ts";
import { LogWriter } from "../../../../src/core/log/log-writer.ts";
import { readEvents } from "../../../../src/core/log/reader.ts";
import { SessionLog } from "../../../../src/core/log/session-log.ts";
import { random, times } from "../../../kit/counts.ts";
import { type LogPen, titleSet } from "../../../kit/log-pen.ts";
import { type ContractHome, moves, newSession, type OpenHome, piece, settled } from "./home.ts";

/** Takes a session's lease, with cursors reserved far ahead. */
async function driveFar(store: Store, id: string, pen: LogPen): Promise<number> {
  const result = await store.append(pen.append(id, [titleSet("driven")], { reserve: 1_000_000 }));
  if (result.status !== "ok" || result.fence === undefined) throw new Error(`no lease: ${result.status}`);
  return result.fence;
}

/** Saves text as a writer does: at once where the store can, else with an append. Says which, or what was answered. */
async function stream(
  store: Store,
  pen: LogPen,
  { fence, pieces }: { fence: number; pieces: readonly Piece[] },
) {
  if (store.savePieces({ session: "s", fence, n: pen.head.n, pieces })) return "at once";
  return (await store.append(pen.append("s", [], { fence, pieces }))).status;
}

const saved = expect.stringMatching(/^(at once|ok)$/);

const textOf = async (store: Store, after: number): Promise<string | undefined> =>
  (await store.read("s", { after, limit: 100 }))?.pieces.map(({ text }) => text).join("");

export function pieceContract(openHome: OpenHome): void {
  test("text that was saved is read by every process until a row holds it", async () => {
    await using home = await openHome();
    const owner = await home.openHost();
    const other = await home.openHost();
    const pen = await newSession(owner, "s");
    const fence = await driveFar(owner, "s", pen);
    for (let reply = 0; reply < 5; reply += 1) {
      const { seq } = pen.head;
      expect(await stream(owner, pen, { fence, pieces: [piece(seq, "Hel"), piece(seq + 3, "lo ")] })).toEqual(
        saved,
      );
      expect(await stream(owner, pen, { fence, pieces: [piece(seq + 6, "\u0000\n\ud83d\ude00")] })).toEqual(
        saved,
      );
      for (const store of [owner, other]) {
        expect(await textOf(store, 0)).toBe("Hello \u0000\n\ud83d\ude00");
        expect(await textOf(store, seq + 7)).toContain("\n\ud83d\ude00");
        expect(await textOf(store, seq + 10)).toBe("");
      }
      const after = pen.head;
      const middle = pen.rows([titleSet("mid")], { gap: 10, mid: true });
      await owner.append({ ...pen.append("s", [], { fence }), after, rows: middle, state: pen.state });
      expect(await stream(owner, pen, { fence, pieces: [piece(pen.head.seq, "world")] })).toEqual(saved);
      expect(await textOf(other, 0)).toBe("Hello \u0000\n\ud83d\ude00world");
      const before = pen.head;
      const held = pen.rows([titleSet("held")], { gap: 5 });
      await owner.append({
        ...pen.append("s", [], { fence, clearPieces: true }),
        after: before,
        rows: held,
        state: pen.state,
      });
      for (const store of [owner, other]) expect(await textOf(store, 0)).toBe("");
    }
  });

  test("a watcher hears of text that is saved at once", async () => {
    await using home = await openHome();
    const owner = await home.openHost();
    const watcher = await home.openHost();
    const pen = await newSession(owner, "s");
    const fence = await driveFar(owner, "s", pen);
    const heard = moves(watcher, "s");
    const own = moves(owner, "s");
    let { seq } = pen.head;
    expect(await textOf(watcher, 0)).toBe("");
    for (let word = 0; word < 20; word += 1) {
      const before = heard.count;
      await stream(owner, pen, { fence, pieces: [piece(seq, `${word} `)] });
      await heard.past(before);
      expect(await textOf(watcher, seq)).toBe(`${word} `);
      seq += `${word} `.length;
    }
    expect(own.count).toBe(0);
  });

  test("whoever takes over from the dead has their text, and goes on after it", async () => {
    await using home = await openHome();
    let owner = await home.openHost();
    const reader = await home.openHost();
    const pen = await newSession(owner, "s");
    let fence = await driveFar(owner, "s", pen);
    let { seq } = pen.head;
    let said = "";
    for (let life = 0; life < 4; life += 1) {
      for (const word of [`${life}a `, `${life}b `]) {
        expect(await stream(owner, pen, { fence, pieces: [piece(seq, word)] })).toEqual(saved);
        seq += word.length;
        said += word;
      }
      expect(await textOf(reader, 0)).toBe(said);
      await home.kill(owner);
      expect(await textOf(reader, 0)).toBe(said);
      const next = await home.openHost();
      const lease = await next.takeOver("s", owner.hostId);
      await next.forgetHost(owner.hostId);
      expect(await textOf(reader, 0)).toBe(said);
      fence = lease?.fence ?? 0;
      owner = next;
    }
    const after = pen.head;
    const rows = pen.rows([titleSet("held")], { gap: said.length });
    await owner.append({
      ...pen.append("s", [], { fence, clearPieces: true }),
      after,
      rows,
      state: pen.state,
    });
    expect(await textOf(reader, 0)).toBe("");
  });

  test("nothing is saved at once under a lease that is lost, or was never held", async () => {
    await using home = await openHome();
    const far = { remote: true, asleep: true };
    const spoke = await home.openHost(far);
    const other = await home.openHost();
    const pen = await newSession(spoke, "s");
    const fence = await driveFar(spoke, "s", pen);
    const { n, seq } = pen.head;
    const say = (store: Store, more: Partial<Parameters<Store["savePieces"]>[0]> = {}): boolean =>
      store.savePieces({ session: "s", fence, n, pieces: [piece(seq, "word")], ...more });
    expect(say(other)).toBe(false);
    expect(say(spoke, { fence: fence + 1 })).toBe(false);
    expect(say(spoke, { session: "t" })).toBe(false);
    expect(say(spoke, { pieces: [piece(1_000_000, "past what is reserved")] })).toBe(false);
    await stream(spoke, pen, { fence, pieces: [piece(seq, "word")] });

    // It hears nothing of being taken for dead.
    await silentFor(home, other, 12_000);
    expect(await other.takeOver("s", spoke.hostId)).toBeDefined();
    expect(await textOf(other, 0)).toBe("word");
    const late = [piece(seq + 4, " late")];
    expect(say(spoke, { pieces: late })).toBe(false);
    expect(await stream(spoke, pen, { fence, pieces: late })).toBe("fenced");
    await other.forgetHost(spoke.hostId);
    expect(say(spoke, { pieces: late })).toBe(false);
    expect(await textOf(other, 0)).toBe("word");
  });

  test("who is taken for dead before it said a word says none", async () => {
    await using home = await openHome();
    const silent = await home.openHost({ remote: true, asleep: true });
    const other = await home.openHost();
    const pen = await newSession(silent, "s");
    const fence = await driveFar(silent, "s", pen);
    await silentFor(home, other, 12_000);
    await other.takeOver("s", silent.hostId);
    await other.forgetHost(silent.hostId);
    const { n, seq } = pen.head;
    expect(silent.savePieces({ session: "s", fence, n, pieces: [piece(seq, "word")] })).toBe(false);
  });

  test("a session that is removed and made again has nothing of the old one's text", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await newSession(store, "s");
    const fence = await driveFar(store, "s", pen);
    await stream(store, pen, { fence, pieces: [piece(pen.head.seq, "old")] });
    await store.remove("s");
    expect(store.savePieces({ session: "s", fence, n: 2, pieces: [piece(pen.head.seq + 3, "old")] })).toBe(
      false,
    );
    const again = await newSession(store, "s");
    await driveFar(store, "s", again);
    expect(await textOf(store, 0)).toBe("");
  });

  test("followers in another process get every character once, in order, whatever the writer does", async () => {
    for (let round = 0; round < times(40); round += 1) {
      const { truth, texts } = await followRandomly(openHome, round);
      expect(texts).toEqual([truth, truth, truth]);
    }
  });
}

async function silentFor(home: ContractHome, watcher: Store, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    await watcher.findDead();
    home.clock.advance(1_000);
    await settled(watcher);
  }
  await watcher.findDead();
}

/** Streams and appends at random in one process, and reads in another; gives what was said and what each reader got. */
async function followRandomly(
  openHome: OpenHome,
  round: number,
): Promise<{ readonly truth: string; readonly texts: readonly string[] }> {
  await using home = await openHome();
  const dice = random(900 + round);
  const owner = await home.openHost();
  const other = await home.openHost();
  const pen = await newSession(owner, "s");
  const writer = writerOn(owner, home, pen);
  await writer.transact(() => ({ events: [titleSet("go")], value: undefined, lease: "take" }));
  const life = new AbortController();
  const followers = Array.from({ length: 3 }, () => follow(other, home, { pen, dice, signal: life.signal }));
  let truth = "";
  let last = "";
  for (let step = 0; step < 60; step += 1) {
    const roll = dice();
    if (roll < 0.7) {
      last = `${step}${"-".repeat(Math.floor(dice() * 4))};`;
      truth += last;
      writer.stream({ type: "message.delta", text: last });
    } else if (roll < 0.8) void writer.transact(() => ({ events: [titleSet(`${step}`)], value: undefined }));
    else if (roll < 0.9) await writer.transact(endReply);
    if (dice() < 0.6) await new Promise((resolve) => setImmediate(resolve));
    if (dice() < 0.2) await settled(owner);
  }
  writer.stream({ type: "message.delta", text: "end." });
  await writer.transact(endReply);
  const texts = await Promise.all(followers);
  life.abort();
  return { truth: `${truth}end.`, texts };
}

const endReply: Parameters<LogWriter["transact"]>[0] = ({ segments }) => {
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
  return { events: [event], value: undefined };
};

function writerOn(store: Store, { clock }: ContractHome, pen: LogPen): LogWriter {
  const log = new SessionLog("s", pen.state, { ports: { store, clock }, onRows: () => undefined });
  const redactor = createRedactor([]);
  const ports = { store, clock, redactor: () => redactor, observe: () => undefined };
  const unheard = { planned: () => undefined, failed: () => undefined, leaseLost: () => undefined };
  return new LogWriter(log, ports, unheard);
}

interface Follower {
  readonly pen: LogPen;
  readonly dice: () => number;
  readonly signal: AbortSignal;
}

/** Reads text until the end, leaving and coming back at the last cursor now and then. */
async function follow(
  store: Store,
  { clock }: ContractHome,
  { pen, dice, signal }: Follower,
): Promise<string> {
  const log = new SessionLog("s", pen.state, { ports: { store, clock }, onRows: () => undefined });
  store.watch("s", () => log.noteForeignAppend(), signal);
  let text = "";
  let after = 0;
  for (;;) {
    let left = 1 + Math.floor(dice() * 5);
    for await (const event of readEvents(log, { after, live: false })) {
      if (event.type === "message.delta") text += event.text;
      expect(event.seq).toBeGreaterThan(after);
      after = event.seq;
      if (text.endsWith("end.")) return text;
      left -= 1;
      if (left === 0) break;
    }
    // As when a socket drops in the middle of a word.
    if (dice() < 0.3) await settled(store);
  }
}
