import { expect, test } from "vitest";
import type { DurableEvent, EventNamed } from "../../../../src/core/events/events.ts";
import type { Origin } from "../../../../src/core/events/prompt.ts";
import { NO_USAGE, type Usage } from "../../../../src/core/events/usage.ts";
import type { Store } from "../../../../src/core/ports/store.ts";
import type { UsageReport } from "../../../../src/core/ports/usage.ts";
import { type LogPen, logPen, prompt, sessionStart } from "../../../kit/log-pen.ts";
import type { OpenHome } from "./home.ts";

const SECOND = 1000;
const DAY = 24 * 3600 * SECOND;
const ANNA: Origin = { surface: "chat", client: "telegram:42" };

const used = (input: number, cost?: number): Usage => {
  const { cost: _free, ...none } = NO_USAGE;
  return { ...none, calls: 1, input, output: 1, ...(cost === undefined ? {} : { cost }) };
};

const begin = (turnId: string, from: Origin = { surface: "cli" }): EventNamed<"turn.start"> => ({
  type: "turn.start",
  turnId,
  prompt: { ...prompt(turnId), from },
});

const replied = (turnId: string, usage: Usage, model = "m"): DurableEvent => ({
  type: "reply.complete",
  turnId,
  segments: [],
  calls: [],
  finish: "stop",
  usage,
  provider: "p",
  model,
});

const ended = (turnId: string, outcome: "completed" | "cancelled" = "completed"): DurableEvent => ({
  type: "turn.end",
  turnId,
  outcome,
  usage: NO_USAGE,
});

const asks = (requestId: string): DurableEvent => ({
  type: "clarify.request",
  requestId,
  turnId: "t1",
  callId: "c",
  timeoutMs: 1000,
  beforeEffect: true,
  question: "Which one?",
  choices: [],
});

const answered: DurableEvent = {
  type: "clarify.resolved",
  requestId: "q",
  turnId: "t1",
  callId: "c",
  resolution: { outcome: "answered", text: "that", by: ANNA },
};

/** Writes a session; each event has its time, in seconds after the beginning. */
async function write(
  store: Store,
  id: string,
  events: readonly (readonly [at: number, event: DurableEvent])[],
): Promise<LogPen> {
  let at = 0;
  const pen = logPen(() => at * SECOND);
  const rows = events.flatMap(([time, event]) => {
    at = time;
    return pen.rows([event]);
  });
  await store.create(id, rows, pen.state);
  return pen;
}

async function whole(store: Store, bounds: readonly number[]): Promise<UsageReport> {
  for (;;) {
    const report = await store.usage({ bounds });
    if (report.complete) return report;
  }
}

/** The names of a list with some of their sums. */
const sums = (list: UsageReport["models"]) =>
  list.map(({ name, sessions, turns, input }) => [name, sessions, turns, input]);

export function usageContract(openHome: OpenHome): void {
  test("turns, tokens and questions are added up by day, model, surface, folder and person", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await write(store, "mine", [
      [0, sessionStart({ platform: "cli", source: "cli", cwd: "/a" })],
      [10, { ...begin("t1", ANNA), persona: { name: "desk", instructions: "" } }],
      [11, replied("t1", used(100, 0.5))],
      [12, asks("q")],
      [42, answered],
      [43, replied("t1", used(30), "other")],
      [44, ended("t1")],
      [86_401, begin("t2")],
      [86_402, replied("t2", used(7, 0.25))],
      [86_403, { type: "history.undo", keep: 1, turns: 2 }],
    ]);
    const start = sessionStart({
      platform: "cli",
      source: "subagent",
      parentId: "mine",
      depth: 1,
      cwd: "/b",
    });
    await write(store, "child", [
      [13, start],
      [14, begin("c1", { surface: "subagent" })],
      [15, asks("inner")],
      [16, replied("c1", used(1000))],
      [17, ended("c1")],
    ]);
    const report = await whole(store, [0, DAY, 2 * DAY]);
    expect(report.total).toMatchObject({
      sessions: 1,
      turns: 2,
      calls: 4,
      input: 1137,
      cost: 0.75,
      unpriced: 2,
    });
    expect(
      report.parts.map(({ since, turns, input, questions }) => [since, turns, input, questions]),
    ).toEqual([
      [0, 1, 1130, 1],
      [DAY, 1, 7, 0],
    ]);
    // 30 of its 34 seconds it waited for somebody.
    const took = { count: 1, median: 4 * SECOND, late: 4 * SECOND };
    expect(report.total.answers).toEqual(took);
    expect(report.total.waits).toEqual({ count: 1, median: 30 * SECOND, late: 30 * SECOND });
    expect(report.parts[1]).not.toHaveProperty("answers");
    expect(sums(report.models)).toEqual([
      ["p:m", 1, 3, 1107],
      ["p:other", 1, 1, 30],
    ]);
    expect(sums(report.surfaces)).toEqual([["agent run", 1, 2, 1137]]);
    expect(sums(report.folders)).toEqual([["/a", 1, 2, 1137]]);
    // Its newest prompt says for whom it works.
    expect(sums(report.people)).toEqual([
      ["owner", 1, 1, 1007],
      ["telegram:42", 1, 1, 130],
    ]);
    expect(sums(report.personas)).toEqual([
      ["", 1, 1, 1007],
      ["desk", 1, 1, 130],
    ]);
    expect(report.damaged).toBe(0);
    await store.append(pen.append("mine", [ended("t2", "cancelled"), begin("t3")], { release: true }));
    expect((await whole(store, [0, DAY, 2 * DAY])).total).toMatchObject({ turns: 3, answers: took });
    expect((await whole(store, [DAY, 2 * DAY])).total.input).toBe(7);
    const month = { since: 0, until: DAY };
    const anna = { name: "telegram:42", calls: 2, input: 130, output: 2, cacheRead: 0, cost: 0.5 };
    expect(await store.personUsage({ ...month, names: ["telegram:42", "nobody"] })).toEqual([anna]);
    await store.remove("mine");
    await store.remove("child");
    // What a person used stays theirs: they get no new budget by deleting it.
    expect(await store.personUsage({ ...month, names: ["telegram:42"] })).toEqual([anna]);
    expect(await store.personUsage({ since: 2 * DAY, until: 3 * DAY })).toEqual([]);
    expect((await whole(store, [0, 2 * DAY])).total).toMatchObject({ sessions: 0, turns: 0, questions: 0 });
  });

  test("a copy of a session has used nothing of what it was copied with", async () => {
    await using home = await openHome();
    const store = await home.openHost();
    const pen = await write(store, "first", [
      [0, sessionStart()],
      [1, begin("t1")],
      [2, replied("t1", used(5))],
      [3, ended("t1")],
    ]);
    const copy = logPen(() => 4 * SECOND, pen.state);
    const rows = copy.rows([{ type: "session.branch", parentId: "first", title: "" }]);
    await store.branch("first", pen.head, { id: "copy", rows, state: copy.state });
    expect((await whole(store, [0, DAY])).total).toMatchObject({ sessions: 1, turns: 1, input: 5 });
    await store.remove("first");
    expect((await whole(store, [0, DAY])).total).toMatchObject({ sessions: 0, turns: 0 });
  });
}
