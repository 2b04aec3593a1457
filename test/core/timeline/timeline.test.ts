import { setImmediate as round } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  DEFAULT_POLICY,
  type Host,
  readTimeline,
  type Session,
  type TimeSpan,
  SPAN_KINDS,
  type TurnTimeline,
} from "../../../src/core/index.ts";
import { turnTimelines } from "../../../src/core/timeline/turn-timeline.ts";
import { delegateTool } from "../../../src/providers/tools/delegate.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { anyRows } from "../../kit/arbitrary-rows.ts";
import { handClock } from "../../kit/clock.ts";
import { times } from "../../kit/counts.ts";
import { Machine } from "../../kit/machine.ts";
import {
  callTool,
  fail,
  gate,
  say,
  scriptedModel,
  scriptedModelWith,
  used,
  wait,
} from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf, until } from "../../kit/test-host.ts";

async function timelineOf(host: Host, session: Session, limit = 20): Promise<readonly TurnTimeline[]> {
  const state = await session.refresh();
  const { store, clock } = host.services;
  return (await readTimeline(store, { id: session.id, state }, { limit, now: clock.now() })).turns;
}

/** Spans as short lines: what, from when to when in seconds since the turn began. */
const lines = ({ spans, startedAt }: TurnTimeline): readonly string[] =>
  spans.map((span) => {
    const second = (at: number | undefined): string =>
      at === undefined ? "" : String((at - startedAt) / 1000);
    return `${nameOf(span)} ${second(span.start)}-${second(span.end)}`;
  });

function nameOf(span: TimeSpan): string {
  switch (span.kind) {
    case "tool":
      return `${span.name} ${span.outcome ?? "runs"}`;
    case "waiting":
      return `waiting ${span.question} ${span.outcome ?? "open"}`;
    case "model":
      return span.failure === undefined ? "model" : "model failed";
    case "crash":
      return `crash during ${span.during}`;
    default:
      return span.kind;
  }
}

/** The kinds that account for some of a turn, in seconds; they must be all of it. */
function shares({ totals, segments, startedAt, endedAt }: TurnTimeline): Readonly<Record<string, number>> {
  const whole = Object.values(totals).reduce((sum, ms) => sum + ms, 0);
  if (endedAt !== undefined) expect(whole).toBe(endedAt - startedAt);
  expect(segments.reduce((sum, { start, end }) => sum + end - start, 0)).toBe(whole);
  return Object.fromEntries(
    SPAN_KINDS.flatMap((kind) => (totals[kind] === 0 ? [] : [[kind, totals[kind] / 1000]])),
  );
}

test("calls side by side, a wait within a call, and who answered it: each moment counts once", async () => {
  const clock = handClock();
  const [thinks, reads, slow, writes] = [gate(), gate(), gate(), gate()];
  const tools = toolsOf(
    testTool("read", { run: () => reads.opened.then(() => "read") }),
    testTool("look", { run: () => slow.opened.then(() => "seen") }),
    testTool("write", { effect: "once", run: () => (writes.arrive(), writes.opened.then(() => "written")) }),
  );
  const model = scriptedModel(
    [wait(thinks), say("Let me see. "), used(100, 20), callTool("read"), callTool("look")],
    [callTool("write")],
    [say("Done.")],
  );
  const policy = { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, mode: "manual" as const } };
  await using host = await hostWith(model, { clock, toolsets: tools, policy });
  const session = await host.open();
  const turn = session.submit({ text: "go", from: { surface: "acp" } });
  await thinks.reached;
  clock.advance(2000);
  thinks.open();
  const events = session.events();
  await until(events, "tool.start");
  clock.advance(1000);
  reads.open();
  await until(session.events(), "tool.complete");
  clock.advance(3000);
  slow.open();
  const { requestId } = await until(session.events(), "approval.request");
  clock.advance(60_000);
  const [running] = await timelineOf(host, session);
  expect(running?.endedAt).toBeUndefined();
  expect(running && lines(running).slice(-2)).toEqual(["write runs 6-", "waiting approval open 6-"]);
  expect(running && shares(running)).toEqual({ model: 2, tool: 4, waiting: 60 });
  await session.answer(requestId, { choice: "once" }, { surface: "dashboard" });
  await writes.reached;
  clock.advance(5000);
  writes.open();
  await turn.result;
  const [whole] = await timelineOf(host, session);
  expect(whole && lines(whole)).toEqual([
    "model 0-2",
    "read ok 2-3",
    "look ok 2-6",
    "model 6-6",
    "write ok 6-71",
    "waiting approval answered 6-66",
    "model 71-71",
  ]);
  expect(whole && shares(whole)).toEqual({ model: 2, tool: 9, waiting: 60 });
  expect(whole?.usage).toMatchObject({ calls: 3, input: 100, output: 20 });
  expect(whole?.spans.find(({ kind }) => kind === "model")).toMatchObject({ firstAt: clock.now() - 69_000 });
  expect(whole?.spans.find(({ kind }) => kind === "waiting")).toMatchObject({
    asked: { surface: "acp" },
    by: { surface: "dashboard" },
    choice: "once",
  });
});

test("a try that fails, the wait for the next one, a prompt in the queue, and a turn that is stopped", async () => {
  const clock = handClock();
  const [first, second] = [gate(), gate()];
  const error = new HostError("provider_rate_limit", "Too many requests.", {
    details: { retryAfterMs: 8000 },
  });
  const model = scriptedModel([wait(first), fail(error)], [say("late")], [wait(second)]);
  await using host = await hostWith(model, { clock });
  const session = await host.open();
  const turn = session.submit({ text: "one" });
  const next = session.submit({ text: "two", mode: "queue" });
  await next.accepted;
  await first.reached;
  clock.advance(1000);
  first.open();
  await until(session.events(), "model.retry");
  const [waits] = await timelineOf(host, session);
  expect(waits && lines(waits)).toEqual(["model failed 0-1", "retry 1-"]);
  await clock.untilPending();
  clock.advance(8000);
  await turn.result;
  await second.reached;
  clock.advance(4000);
  await session.interrupt({ from: { surface: "dashboard" } });
  await next.result;
  const [one, two] = await timelineOf(host, session);
  expect(one && lines(one)).toEqual(["model failed 0-1", "retry 1-9", "model 9-9"]);
  expect(one && shares(one)).toEqual({ model: 1, retry: 8 });
  expect(two).toMatchObject({ outcome: "cancelled", stoppedBy: "dashboard" });
  expect(two && two.startedAt - (two.queuedAt ?? 0)).toBe(9000);
  expect(two && shares(two)).toEqual({ model: 4 });
  // Page by page, the newest first.
  const { store } = host.services;
  const read = (before?: number) =>
    readTimeline(store, session, { limit: 1, now: 0, ...(before === undefined ? {} : { before }) });
  const newest = await read();
  expect(newest.turns.map(({ text }) => text)).toEqual(["two"]);
  const oldest = await read(newest.before);
  expect(oldest).toEqual({ turns: [expect.objectContaining({ text: "one" })] });
});

test.each(["model", "tool"] as const)(
  "a process that dies at a %s leaves a gap until another one takes over, and the turn says so",
  async (at) => {
    const machine = new Machine();
    const stuck = gate();
    const tool = testTool("build", { run: () => (stuck.arrive(), stuck.opened.then(() => "built")) });
    const steps = at === "tool" ? [callTool("build")] : [say("half an ans"), wait(stuck)];
    const models = scriptedModel(steps);
    const dying = await machine.start(models, { toolsets: toolsOf(tool) });
    const session = await dying.host.open({ id: "s" });
    session.submit({ text: "go" });
    await stuck.reached;
    machine.clock.advance(30_000);
    dying.die();
    machine.clock.advance(600_000);
    // Its last signs of life arrive, each some ticks later: who shows some while others look is not taken over.
    for (let ticks = 0; ticks < 20; ticks += 1) await round();
    const { host } = await machine.start(scriptedModel());
    const [turn] = await timelineOf(host, await host.session("s"));
    expect(turn).toMatchObject({ outcome: "interrupted" });
    expect(turn && lines(turn).filter((line) => !line.startsWith("model"))).toEqual(
      at === "tool"
        ? ["build unknown 0-630", "crash during build 0-630"]
        : ["crash during a model call 0-630"],
    );
    expect(turn && shares(turn)).toEqual({ crash: 630 });
  },
);

test("a turn that waited when its process died waits on, whoever runs it", async () => {
  const machine = new Machine();
  const toolsets = toolsOf(testTool("write", { effect: "once" }));
  const policy = { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, mode: "manual" as const } };
  const first = await machine.start(scriptedModel([callTool("write")]), { toolsets, policy });
  const session = await first.host.open({ id: "s" });
  session.submit({ text: "go" });
  const { requestId } = await until(session.events(), "approval.request");
  machine.clock.advance(10_000);
  first.die();
  machine.clock.advance(20_000);
  const { host } = await machine.start(scriptedModel([say("Done.")]), { toolsets, policy });
  const again = await host.session("s");
  await again.answer(requestId, { choice: "once" }, { surface: "tui" });
  await until(again.events(), "turn.end");
  const [turn] = await timelineOf(host, again);
  expect(turn && shares(turn)).toEqual({ waiting: 30 });
  expect(turn).toMatchObject({ outcome: "completed" });
});

test("a summary of what was said before is its own kind", async () => {
  const clock = handClock();
  const long = "word ".repeat(3000);
  const model = scriptedModelWith({ contextLength: 4000, otherwise: () => [say("short")] }, [
    say(long),
    used(1000, 3500),
  ]);
  await using host = await hostWith(model, { clock });
  const session = await host.open();
  await session.submit({ text: "first" }).result;
  await session.submit({ text: "second" }).result;
  const turns = await timelineOf(host, session);
  expect(turns.at(-1)?.spans.map(({ kind }) => kind)).toContain("compaction");
});

test("a subagent works for its call, and what it waits for its turn waits for", async () => {
  const clock = handClock();
  const [works, writes] = [gate(), gate()];
  const delegate = {
    name: "delegate",
    label: "Subagents",
    description: "",
    configured: true,
    tools: [delegateTool({ stopProcesses: () => Promise.resolve(0) })],
  };
  const write = testTool("write", { effect: "once", run: () => writes.opened.then(() => "written") });
  const model = scriptedModel(
    [callTool("delegate", { goal: "Write it" })],
    [wait(works), callTool("write")],
    [say("It is written.")],
    [say("Done.")],
  );
  const policy = { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, mode: "manual" as const } };
  await using host = await hostWith(model, { clock, toolsets: [delegate, ...toolsOf(write)], policy });
  const session = await host.open();
  const turn = session.submit({ text: "go" });
  await works.reached;
  clock.advance(3000);
  works.open();
  const { requestId, child } = await until(session.events(), "approval.request");
  clock.advance(20_000);
  await session.answer(requestId, { choice: "once" });
  await until((await host.session(child?.sessionId ?? "")).events(), "approval.resolved");
  clock.advance(4000);
  writes.open();
  await turn.result;
  const [whole] = await timelineOf(host, session);
  expect(whole && lines(whole)).toEqual([
    "model 0-0",
    "delegate ok 0-27",
    "subagent 0-27",
    "waiting approval answered 3-23",
    "model 27-27",
  ]);
  expect(whole && shares(whole)).toEqual({ subagent: 7, waiting: 20 });
  expect(whole?.spans.find(({ kind }) => kind === "subagent")).toMatchObject({
    childId: child?.sessionId,
    status: "completed",
  });
});

test("whatever a log holds, a turn's parts are the whole of it", () => {
  fc.assert(
    fc.property(anyRows, fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 30 }), (rows, times) => {
      // A clock may be set back.
      const dated = rows.map((row, index) => ({ ...row, at: times[index] ?? 0 }));
      for (const turn of turnTimelines(dated, { undone: [], running: "t1", now: 5 })) {
        shares(turn);
        for (const { start, end } of turn.spans) expect(end ?? start).toBeGreaterThanOrEqual(start);
      }
    }),
    { numRuns: times(2000) },
  );
});
