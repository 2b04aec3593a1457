import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createRedactor,
  decodeRow,
  type DurableEvent,
  EMPTY_STATE,
  foldAll,
  NO_USAGE,
  type Piece,
} from "../../../src/core/index.ts";
import {
  type AppendPlan,
  type Decision,
  type LogView,
  planAppend,
  requestOf,
} from "../../../src/core/log/append-plan.ts";
import { handClock } from "../../kit/clock.ts";
import { titleSet } from "../../kit/log-pen.ts";

type Lease = Decision<unknown>["lease"];

/** A decision of a test: what it appends, what it says of the lease, whether it throws, whether a command asked. */
interface Wish {
  readonly events: readonly DurableEvent[];
  readonly lease?: Lease;
  readonly throws?: boolean;
  readonly commandId?: string;
}

interface Planned {
  readonly plan: AppendPlan;
  /** What each decision saw. */
  readonly seen: readonly LogView[];
  /** The wishes that were rejected. */
  readonly rejected: readonly number[];
}

interface Ground {
  readonly holdsLease?: boolean;
  readonly pieces?: readonly Piece[];
  readonly cursor?: number;
  readonly secrets?: readonly string[];
}

function planned(wishes: readonly Wish[], ground: Ground = {}): Planned {
  const { holdsLease = false, pieces = [], cursor = 0, secrets = [] } = ground;
  const seen: LogView[] = [];
  const rejected: number[] = [];
  const pending = wishes.map(({ events, lease, throws, commandId }, index) => ({
    commandId,
    decide: (view: LogView): Decision<number> => {
      seen.push({
        ...view,
        segments: (
          (now) => () =>
            now
        )(view.segments()),
      });
      if (throws === true) throw new Error("no");
      return { events, value: index, ...(lease === undefined ? {} : { lease }) };
    },
    written: () => undefined,
    resolve: () => undefined,
    reject: () => rejected.push(index),
  }));
  const base = {
    state: EMPTY_STATE,
    cursor,
    holdsLease,
    pieces,
    clock: handClock(),
    redactor: createRedactor(secrets),
  };
  return { plan: planAppend(pending, base), seen, rejected };
}

const reply = (text: string): DurableEvent => ({
  type: "reply.complete",
  turnId: "t",
  segments: [{ kind: "text", cursor: 0, text }],
  calls: [],
  finish: "stop",
  usage: NO_USAGE,
  provider: "p",
  model: "m",
});

const piece = (cursor: number, text: string): Piece => ({ cursor, kind: "text", text });

describe("what several decided together", () => {
  test("each sees what those before it leave, and one that throws leaves nothing", () => {
    const { plan, seen, rejected } = planned([
      { events: [titleSet("a")] },
      { events: [titleSet("never")], throws: true },
      { events: [titleSet("b"), titleSet("c")] },
      { events: [] },
    ]);
    expect(seen.map(({ state }) => state.title)).toEqual(["", "a", "a", "c"]);
    expect(rejected).toEqual([1]);
    expect(plan.decided.map(({ value }) => value)).toEqual([0, 2, 3]);
    expect(plan.rows.map(({ n, seq }) => [n, seq])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  test("rows come after all text that streamed; those before the end of the reply stand inside it", () => {
    const pieces = [piece(0, "Hel"), piece(3, "lo")];
    const { plan, seen } = planned(
      [{ events: [titleSet("a"), reply("Hello"), titleSet("b")] }, { events: [titleSet("c")] }],
      { pieces, cursor: 5 },
    );
    expect(plan.stored.map(({ seq, mid }) => [seq, mid])).toEqual([
      [6, true],
      [7, false],
      [8, false],
      [9, false],
    ]);
    expect(seen.map(({ segments }) => segments())).toEqual([
      [{ kind: "text", cursor: 0, text: "Hello" }],
      [],
    ]);
    expect(plan.endsReply).toBe(true);
  });

  test("a secret stands neither in the rows nor in the state", () => {
    const { plan } = planned([{ events: [titleSet("key sk-12345678")] }], { secrets: ["sk-12345678"] });
    expect(JSON.stringify([plan.rows, plan.stored, plan.state])).not.toContain("sk-12345678");
    expect(plan.state.title).toBe("key [redacted]");
  });

  test.each<{
    readonly before: boolean;
    readonly words: readonly Lease[];
    readonly keeps: boolean;
    readonly about: boolean;
  }>([
    { before: false, words: [undefined], keeps: false, about: false },
    { before: true, words: [undefined], keeps: true, about: false },
    { before: false, words: ["take"], keeps: true, about: true },
    { before: true, words: ["take"], keeps: true, about: false },
    { before: true, words: ["give"], keeps: false, about: true },
    { before: false, words: ["give"], keeps: false, about: false },
    { before: false, words: ["take", "give"], keeps: false, about: false },
    { before: true, words: ["give", "take"], keeps: true, about: false },
    { before: true, words: ["give", undefined], keeps: false, about: true },
    { before: true, words: ["verify"], keeps: true, about: true },
    { before: false, words: ["verify"], keeps: false, about: false },
  ])("the last word on the lease counts: $before, then $words", ({ before, words, keeps, about }) => {
    const { plan, seen } = planned(
      words.map((lease) => ({ events: [], lease })),
      { holdsLease: before },
    );
    expect([plan.keepsLease, plan.aboutLease]).toEqual([keeps, about]);
    expect(seen[0]?.holdsLease).toBe(before);
    if (words[0] === "take") expect(seen[1]?.holdsLease ?? true).toBe(true);
  });

  test("is what a fold of its rows gives, in order, for any decisions", () => {
    const wish = fc.record(
      {
        events: fc.array(fc.oneof(fc.string().map(titleSet), fc.string().map(reply)), { maxLength: 3 }),
        lease: fc.constantFrom("take" as const, "give" as const, "verify" as const),
        throws: fc.boolean(),
        commandId: fc.uuid(),
      },
      { requiredKeys: ["events"] },
    );
    const ground = fc.record({ holdsLease: fc.boolean(), cursor: fc.integer({ min: 0, max: 1e9 }) });
    fc.assert(
      fc.property(fc.array(wish, { maxLength: 8 }), ground, (wishes, on) => {
        const { plan, rejected } = planned(wishes, on);
        const held = wishes.flatMap((each, index) => (each.throws === true ? [] : [{ ...each, index }]));
        expect(plan.rows.map(({ event }) => event)).toEqual(held.flatMap(({ events }) => events));
        expect(plan.stored.map(decodeRow)).toEqual(plan.rows);
        expect(plan.state).toEqual(foldAll(plan.rows));
        expect(plan.rows.map(({ n }) => n)).toEqual(plan.rows.map((_row, index) => index + 1));
        expect(plan.rows.map(({ seq }) => seq)).toEqual(
          plan.rows.map((_row, index) => on.cursor + index + 1),
        );
        expect(plan.cursor).toBe(plan.rows.at(-1)?.seq ?? on.cursor);
        expect(plan.decided.map(({ value }) => value)).toEqual(held.map(({ index }) => index));
        expect(plan.results).toEqual(
          held.flatMap(({ commandId: id, index }) =>
            id === undefined ? [] : [{ id, ok: true, body: String(index) }],
          ),
        );
        expect(rejected).toEqual(wishes.flatMap(({ throws }, index) => (throws === true ? [index] : [])));
        const words = held.map(({ lease }) => lease).filter((lease) => lease === "take" || lease === "give");
        expect(plan.keepsLease).toBe(words.length === 0 ? on.holdsLease : words.at(-1) === "take");
      }),
    );
  });
});

describe("the request to the store", () => {
  test("begins a session with its first row only, and reserves cursors far beyond those in use", () => {
    const text = { pieces: [], held: [], unshown: [] };
    const { plan } = planned([{ events: [titleSet("a")], lease: "take" }], { cursor: 3_999_999 });
    const first = requestOf(plan, { session: "s", fence: undefined, before: EMPTY_STATE, text });
    expect(first).toMatchObject({
      creates: true,
      after: { n: 0, seq: 0 },
      release: false,
      reserve: 6_000_000,
    });
    const next = requestOf(plan, { session: "s", fence: 7, before: plan.state, text });
    expect(next).toMatchObject({ creates: false, after: { n: 1, seq: 4_000_000 }, fence: 7 });
  });

  test("names no state without rows", () => {
    const { plan } = planned([{ events: [], lease: "give" }], { holdsLease: true });
    const request = requestOf(plan, {
      session: "s",
      fence: 1,
      before: EMPTY_STATE,
      text: { pieces: [], held: [], unshown: [] },
    });
    expect(request).not.toHaveProperty("state");
    expect(request.release).toBe(true);
  });
});
