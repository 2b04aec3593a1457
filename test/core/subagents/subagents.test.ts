import { describe, expect, test } from "vitest";
import {
  DEFAULT_POLICY,
  type HostOptions,
  type ModelRequest,
  type Policy,
  promptText,
  type Session,
  SlashCommands,
  type SubagentComplete,
  type Toolset,
} from "../../../src/core/index.ts";
import { delegateTool } from "../../../src/providers/tools/delegate.ts";
import { type HomeStore, memoryStore } from "../../../src/providers/store/index.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { handClock } from "../../kit/clock.ts";
import { Machine } from "../../kit/machine.ts";
import {
  callTool,
  type Gate,
  gate,
  say,
  type ScriptedModel,
  scriptedModelWith,
  type Step,
  think,
  used,
  wait,
} from "../../kit/scripted-model.ts";
import {
  allEvents,
  hostWith,
  type TestHost,
  testTool,
  toolsOf,
  until,
  untilTrue,
} from "../../kit/test-host.ts";

const stopped: string[] = [];

/** The tool as the host has it, beside tools of the test. */
function withDelegate(...sets: readonly Toolset[]): readonly Toolset[] {
  const stopProcesses = (id: string): Promise<number> => Promise.resolve(stopped.push(id));
  const delegate = { name: "delegate", label: "Subagents", description: "", configured: true };
  return [{ ...delegate, tools: [delegateTool({ stopProcesses })] }, ...sets];
}

const named = (name: string, ...sets: readonly Toolset[]): readonly Toolset[] =>
  sets.map((set) => ({ ...set, name }));

const policyWith = (delegation: Partial<Policy["delegation"]>, more: Partial<Policy> = {}): Policy => ({
  ...DEFAULT_POLICY,
  ...more,
  delegation: { ...DEFAULT_POLICY.delegation, ...delegation },
});

/** Answers by what was said first in a session, so that the order in which subagents ask does not matter. */
function modelFor(
  replies: Readonly<Record<string, (request: ModelRequest) => readonly Step[]>>,
): ScriptedModel {
  return scriptedModelWith({
    otherwise(request) {
      const [first] = request.messages;
      const text = first?.role === "user" ? promptText(first.parts) : "";
      const key = Object.keys(replies).find((each) => text.startsWith(each));
      return key === undefined ? [say(`no reply for ${text}`)] : (replies[key]?.(request) ?? []);
    },
  });
}

/** The replies of a session's calls, one after another. */
function inTurn(...replies: (readonly Step[])[]): () => readonly Step[] {
  const rest = [...replies];
  return () => rest.shift() ?? [say("nothing more")];
}

const toolResult = (request: ModelRequest | undefined): string =>
  JSON.stringify(request?.messages.findLast(({ role }) => role === "tool"));

async function completes(session: Session): Promise<readonly SubagentComplete[]> {
  return (await allEvents(session)).filter((event) => event.type === "subagent.complete");
}

const hostFor = (model: ScriptedModel, options: Partial<HostOptions> = {}) =>
  hostWith(model, { toolsets: withDelegate(), ...options });

describe("a delegated task", () => {
  test("is done in a session of its own, and its last answer is the result", async () => {
    const model = modelFor({
      start: inTurn(
        [callTool("delegate", { goal: "Count the files", context: "in src" })],
        [say("There are 3.")],
      ),
      "Count the files\n\nContext:\nin src": inTurn(
        [think("look first\nthen count"), say("I look."), callTool("look"), used(100, 10)],
        [say("3 files."), used(200, 20)],
      ),
    });
    await using host = await hostFor(model, {
      toolsets: withDelegate(...toolsOf(testTool("look", { run: async () => "a b c" }))),
    });
    const session = await host.open({ cwd: "/work" });
    const turn = session.submit({ text: "start" });
    const types: string[] = [];
    for await (const { type } of turn) if (type.startsWith("subagent.")) types.push(type);
    expect(types[0]).toBe("subagent.spawn_requested");
    expect(types.filter((type) => type === "subagent.start" || type === "subagent.complete")).toEqual([
      "subagent.start",
      "subagent.complete",
    ]);
    const [complete] = await completes(session);
    expect(complete).toMatchObject({
      status: "completed",
      goal: "Count the files",
      summary: "3 files.",
      toolCalls: 1,
      depth: 1,
      index: 0,
      count: 1,
      usage: { calls: 2, input: 300, output: 30 },
      outputTail: [{ tool: "look", preview: "a b c", isError: false }],
    });
    const result = toolResult(model.requests.at(-1));
    expect(result).toContain("3 files.");
    expect(result).not.toContain("I look.");
    expect((await turn.result).text).toBe("There are 3.");
    expect(session.state).toMatchObject({ subagents: [], usage: { calls: 4, input: 300, output: 30 } });
    expect((await turn.result).usage).toMatchObject({ calls: 4, input: 300 });
    const child = await host.session(complete?.childId ?? "");
    expect(child.state).toMatchObject({
      parentId: session.id,
      depth: 1,
      cwd: "/work",
      settings: { toolsets: ["test"] },
    });
    expect(stopped).toContain(child.id);
    for (const { messages } of model.requests) expect(conversationFaults(messages)).toEqual([]);
  });

  test("is listed as a child of its session, not among people's", async () => {
    const model = modelFor({
      start: inTurn([callTool("delegate", { goal: "help" })]),
      help: inTurn([say("yes")]),
    });
    await using host = await hostFor(model);
    const session = await host.open();
    await session.submit({ text: "start" }).result;
    const page = { limit: 10, offset: 0 };
    expect((await host.list(page)).map(({ id }) => id)).toEqual([session.id]);
    const all = await host.list({ ...page, includeChildren: true });
    expect(new Set(all.map(({ state }) => state.parentId))).toEqual(new Set([session.id, undefined]));
  });

  test("never has more tools than its parent, nor those that only a person's session may have", async () => {
    const sets = ["files", "terminal", "clarify", "memory"].flatMap((name) =>
      named(name, ...toolsOf(testTool(`use_${name}`))),
    );
    const model = modelFor({
      start: inTurn(
        [callTool("delegate", { goal: "help" })],
        [callTool("delegate", { goal: "ask", toolsets: ["terminal"] })],
      ),
      help: inTurn([say("done")]),
    });
    await using host = await hostFor(model, { toolsets: withDelegate(...sets) });
    const session = await host.open({ settings: { toolsets: ["delegate", "files", "clarify", "memory"] } });
    await session.submit({ text: "start" }).result;
    expect(model.requests[1]?.tools.map(({ name }) => name)).toEqual(["use_files"]);
    expect(toolResult(model.requests.at(-1))).toContain(
      "A subagent cannot have the toolset terminal. It can have: files.",
    );
  });

  test("has subagents of its own only above the deepest level", async () => {
    const model = modelFor({
      start: inTurn([callTool("delegate", { goal: "first" })], [say("end")]),
      first: inTurn([callTool("delegate", { goal: "second" })], [say("first done")]),
      second: inTurn([callTool("delegate", { goal: "third" })], [say("second done"), used(5, 5)]),
    });
    await using host = await hostFor(model, { policy: policyWith({ maxDepth: 2 }) });
    const session = await host.open();
    await session.submit({ text: "start" }).result;
    expect((await completes(session)).map(({ goal, depth, status }) => [goal, depth, status])).toEqual([
      ["second", 2, "completed"],
      ["first", 1, "completed"],
    ]);
    const [second, first] = await completes(session);
    expect(second?.parentSubagentId).toBe(first?.subagentId);
    expect(second?.callId).toBe(first?.callId);
    // What the second one used is counted once, as part of what the first one used.
    expect(session.state.usage).toMatchObject({ calls: 6, input: 5, output: 5 });
    expect(JSON.stringify(model.requests)).toContain("There is no tool named delegate here");
  });

  test("is refused where there are no subagents at all", async () => {
    const model = modelFor({ start: inTurn([callTool("delegate", { goal: "first" })], [say("end")]) });
    await using host = await hostFor(model, { policy: policyWith({ maxDepth: 0 }) });
    const session = await host.open();
    await session.submit({ text: "start" }).result;
    expect(toolResult(model.requests.at(-1))).toContain("delegation.max_depth is 0");
  });

  test("that fails, uses up its calls or its time says so, with what there is", async () => {
    const clock = handClock();
    const never = gate();
    const model = modelFor({
      start: inTurn(
        [callTool("delegate", { tasks: [{ goal: "loops" }, { goal: "hangs" }, { goal: "talks" }] })],
        [say("end")],
      ),
      loops: () => [say("again "), callTool("look")],
      hangs: () => [say("wait for it"), wait(never)],
      talks: inTurn([say("x".repeat(1000))]),
    });
    const toolsets = withDelegate(...toolsOf(testTool("look")));
    const policy = policyWith({ iterations: 3, timeoutMs: 60_000, answer: 100 });
    await using host = await hostFor(model, { clock, policy, toolsets });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await never.reached;
    await untilTrue(() => host.subagents.active().length === 1);
    clock.advance(60_000);
    await turn.result;
    const ends = (await completes(session)).map(({ goal, status }) => [goal, status]);
    expect(Object.fromEntries(ends)).toEqual({ hangs: "timeout", loops: "failed", talks: "completed" });
    const result = toolResult(model.requests.at(-1));
    expect(result).toContain("did not complete the task (failed): The turn used its 3 model calls");
    expect(result).toContain("(timeout): It was stopped after 60 s (delegation.timeout).");
    expect(result).toContain("So far it had said:");
    expect(result).toContain("900 characters are left out");
  });
});

describe("several tasks", () => {
  test("run side by side, as many at once as the owner allows, and the others wait", async () => {
    const gates = [gate(), gate(), gate()];
    const goals = ["a", "b", "c"];
    const model = modelFor({
      start: inTurn([callTool("delegate", { tasks: goals.map((goal) => ({ goal })) })], [say("end")]),
      ...Object.fromEntries(
        goals.map((goal, index) => {
          const at = gates[index] ?? gate();
          return [goal, inTurn([wait(at), say(`${goal} is done`)])];
        }),
      ),
    });
    await using host = await hostFor(model, { policy: policyWith({ maxChildren: 2 }) });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await gates[0]?.reached;
    await gates[1]?.reached;
    const places = new Map(host.subagents.active().map(({ goal, index, count }) => [goal, { index, count }]));
    expect(places).toEqual(
      new Map([
        ["a", { index: 0, count: 3 }],
        ["b", { index: 1, count: 3 }],
      ]),
    );
    expect(session.state.subagents).toHaveLength(2);
    gates[1]?.open();
    await gates[2]?.reached;
    expect(host.subagents.active().map(({ goal }) => goal)).toEqual(["a", "c"]);
    gates[0]?.open();
    gates[2]?.open();
    await turn.result;
    // The answers stand in the order of the tasks, whatever came first.
    const result = toolResult(model.requests.at(-1));
    const order = goals.map((goal) => result.indexOf(`${goal} is done`));
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(order[0]).toBeGreaterThan(0);
    expect(host.subagents.active()).toEqual([]);
  });

  test("wait while delegation is paused", async () => {
    const model = modelFor({
      start: inTurn([callTool("delegate", { goal: "help" })], [say("end")]),
      help: inTurn([say("done")]),
    });
    await using host = await hostFor(model);
    host.subagents.paused = true;
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await until(turn, "subagent.spawn_requested");
    expect(host.subagents.active()).toEqual([]);
    host.subagents.paused = false;
    expect((await turn.result).text).toBe("end");
  });
});

describe("stopping", () => {
  test("the parent stops its subagents, those that wait among them", async () => {
    const running = gate();
    const model = modelFor({
      start: inTurn([callTool("delegate", { tasks: [{ goal: "long" }, { goal: "later" }] })]),
      long: () => [say("I begin"), wait(running)],
    });
    await using host = await hostFor(model, { policy: policyWith({ maxChildren: 1 }) });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await running.reached;
    const childId = session.state.subagents[0]?.childId ?? "";
    await session.interrupt();
    expect((await turn.result).outcome).toBe("cancelled");
    await host.subagents.idle();
    const child = await host.session(childId);
    expect(child.state.turn).toBeUndefined();
    expect(child.state.lastTurn?.outcome).toBe("cancelled");
    expect(session.state.subagents).toEqual([]);
    expect((await completes(session)).map(({ goal, status }) => [goal, status])).toEqual([
      ["long", "interrupted"],
    ]);
    // The next prompt's request is legal, and says what became of the call.
    model.script([say("fine")]);
    expect((await session.submit({ text: "and now?" }).result).text).toBe("fine");
    expect(conversationFaults(model.requests.at(-1)?.messages ?? [])).toEqual([]);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(`session ${childId}`);
  });

  test("one subagent lets its parent go on without it", async () => {
    const running = gate();
    const model = modelFor({
      start: inTurn([callTool("delegate", { goal: "long" })], [say("then I do it myself")]),
      long: () => [wait(running)],
    });
    await using host = await hostFor(model);
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await running.reached;
    const [active] = host.subagents.active();
    expect(host.subagents.interrupt("nobody")).toBe(false);
    expect(host.subagents.interrupt(active?.subagentId ?? "")).toBe(true);
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "then I do it myself" });
    expect(toolResult(model.requests.at(-1))).toContain("(interrupted): It was stopped before it was done.");
  });

  test("closing the host ends them and tells their parents", async () => {
    const store = memoryStore();
    const running = gate();
    const model = modelFor({
      start: inTurn([callTool("delegate", { goal: "long" })]),
      long: () => [wait(running)],
    });
    const first = await hostFor(model, { store });
    const session = await first.open();
    session.submit({ text: "start" });
    await running.reached;
    await first.close();
    await using second = await hostFor(model, { store });
    const after = await second.session(session.id);
    expect(after.state).toMatchObject({ subagents: [], lastTurn: { outcome: "interrupted" } });
    expect((await completes(after)).map(({ status }) => status)).toEqual(["interrupted"]);
  });
});

test("after the death of the process, the parent is told that its subagents were stopped, and what they used", async () => {
  const machine = new Machine();
  const stuck = gate();
  const model = modelFor({
    start: inTurn([callTool("delegate", { goal: "long" })]),
    long: inTurn([say("I begin."), callTool("look"), used(70, 7)], [say("Half of it."), wait(stuck)]),
  });
  const toolsets = withDelegate(...toolsOf(testTool("look")));
  const first = await machine.start(model, { toolsets });
  const session = await first.host.open();
  session.submit({ text: "start" });
  await stuck.reached;
  const childId = session.state.subagents[0]?.childId ?? "";
  first.die();
  const later = scriptedModelWith({}, [say("I see.")]);
  const second = await machine.start(later, { toolsets });
  const parent = await second.host.session(session.id);
  await parent.refresh();
  expect(parent.state).toMatchObject({ subagents: [], usage: { input: 70, output: 7 } });
  expect(await completes(parent)).toMatchObject([{ status: "interrupted", childId, toolCalls: 1 }]);
  const child = await second.host.session(childId);
  expect(child.state.turn).toBeUndefined();
  await parent.submit({ text: "go on" }).result;
  const told = toolResult(later.requests[0]);
  expect(told).toContain("outcome of this call is unknown");
  expect(told).toContain(
    `A subagent was stopped before it was done: long. What it did until then is in session ${childId}.`,
  );
  expect(conversationFaults(later.requests[0]?.messages ?? [])).toEqual([]);
  await second.host.close();
});

/** A store that keeps appends of one type of row to a session without a parent until the gate opens. */
function holdingStore(store: HomeStore, held: Gate, type: string): HomeStore {
  const append: HomeStore["append"] = async (request) => {
    if (request.state?.depth === 0 && request.rows.some((row) => row.type === type)) {
      held.arrive();
      await held.opened;
    }
    return await store.append(request);
  };
  return changedObject(store, { append });
}

describe("a subagent's question", () => {
  const risky = (runs: string[]) =>
    withDelegate(
      ...toolsOf(
        testTool("change", {
          effect: "once",
          run: async (input) => `ran ${runs.push(JSON.stringify(input))}`,
        }),
      ),
    );
  const asking = () =>
    modelFor({
      start: inTurn([callTool("delegate", { goal: "fix it" })], [say("end")]),
      "fix it": inTurn([callTool("change", { n: 1 })], [callTool("change", { n: 2 })], [say("fixed")]),
    });

  test("is asked where its parent is, and the answer there is the answer", async () => {
    const runs: string[] = [];
    await using host = await hostFor(asking(), { toolsets: risky(runs) });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    const request = await until(turn, "approval.request");
    expect(request).toMatchObject({ toolName: "change", child: { goal: "fix it" } });
    expect(host.subagents.active()).toMatchObject([{ status: "waiting" }]);
    expect(runs).toEqual([]);
    const child = await host.session(request.child?.sessionId ?? "");
    expect(child.questions().map((open) => open.request.requestId)).toEqual([request.child?.requestId]);
    // For longer than once: the second call is not asked about.
    await session.answer(request.requestId, { choice: "session" }, { surface: "tui" });
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "end" });
    expect(runs).toEqual(['{"n":1}', '{"n":2}']);
    expect(child.state.closedQuestions[0]?.resolution).toMatchObject({
      choice: "session",
      by: { surface: "tui" },
    });
  });

  test("is over at the parent when somebody answers it at the subagent", async () => {
    await using host = await hostFor(asking(), { toolsets: risky([]), policy: policyWith({}) });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    const { child } = await until(turn, "approval.request");
    await (await host.session(child?.sessionId ?? "")).answer(child?.requestId ?? "", { choice: "session" });
    expect((await turn.result).outcome).toBe("completed");
    expect(session.state.closedQuestions).toMatchObject([
      { resolution: { outcome: "answered", choice: "session" } },
    ]);
  });

  test("is over at the parent also when its copy there comes later than the answer, without a timer", async () => {
    const clock = handClock();
    const held = gate();
    const begin = clock.monotonic();
    const store = holdingStore(memoryStore({ clock }), held, "approval.request");
    await using host = await hostFor(asking(), { toolsets: risky([]), clock, store });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await held.reached;
    const [asked] = host.subagents.active();
    const child = await host.session(asked?.sessionId ?? "");
    const [open] = child.questions();
    await child.answer(open?.request.requestId ?? "", { choice: "session" });
    await untilTrue(() => child.state.questions.length === 0);
    expect(session.state.questions).toEqual([]);
    held.open();
    expect((await turn.result).outcome).toBe("completed");
    expect(session.state.closedQuestions).toMatchObject([
      { resolution: { outcome: "answered", choice: "session" } },
    ]);
    expect(clock.monotonic()).toBe(begin);
  });

  test("is refused with the reason where nobody can answer, and times out once, at the parent", async () => {
    const clock = handClock();
    const model = asking();
    await using host = await hostFor(model, { toolsets: risky([]), clock });
    const session = await host.open();
    const refusing = session.submit({
      text: "start",
      questions: { mode: "refuse", reason: "nobody watches this" },
    });
    await refusing.result;
    expect(JSON.stringify(model.requests)).toContain("it needs an approval, and nobody watches this");

    const second = asking();
    await using other = await hostFor(second, { toolsets: risky([]), clock });
    const asked = await other.open();
    const turn = asked.submit({ text: "start" });
    await until(turn, "approval.request");
    clock.advance(DEFAULT_POLICY.approvals.timeoutMs);
    const next = await untilNext(asked, 1);
    clock.advance(DEFAULT_POLICY.approvals.timeoutMs);
    expect(next).toBe(true);
    await turn.result;
    expect(JSON.stringify(second.requests)).toContain("nobody answered the approval request in time");
  });

  test("takes nothing of its time while it waits for an answer", async () => {
    const clock = handClock();
    const model = asking();
    const policy = policyWith({ timeoutMs: 60_000 });
    await using host = await hostFor(model, { toolsets: risky([]), clock, policy });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    const request = await until(turn, "approval.request");
    clock.advance(200_000);
    await session.answer(request.requestId, { choice: "session" });
    await turn.result;
    expect(await completes(session)).toMatchObject([{ status: "completed" }]);
  });

  test("is not asked again of those that work beside it, once it is allowed for the session", async () => {
    const held = gate();
    const runs: string[] = [];
    const model = modelFor({
      start: inTurn([callTool("delegate", { tasks: [{ goal: "first" }, { goal: "second" }] })], [say("end")]),
      first: inTurn([callTool("change", { n: 1 })], [say("done")]),
      second: inTurn([wait(held), callTool("change", { n: 2 })], [say("done")]),
    });
    await using host = await hostFor(model, { toolsets: risky(runs) });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    const request = await until(turn, "approval.request");
    await session.answer(request.requestId, { choice: "session" });
    held.open();
    expect((await turn.result).outcome).toBe("completed");
    expect(runs).toHaveLength(2);
    expect(session.state.closedQuestions).toHaveLength(1);
  });

  test("is answered together with the same one of another subagent, when it is allowed for the session", async () => {
    const runs: string[] = [];
    const model = modelFor({
      start: inTurn([callTool("delegate", { tasks: [{ goal: "first" }, { goal: "second" }] })], [say("end")]),
      first: inTurn([callTool("change", { n: 1 })], [say("done")]),
      second: inTurn([callTool("change", { n: 2 })], [say("done")]),
    });
    await using host = await hostFor(model, { toolsets: risky(runs) });
    const session = await host.open();
    const turn = session.submit({ text: "start" });
    await untilTrue(() => session.state.questions.length === 2);
    const [open] = session.questions();
    await session.answer(open?.request.requestId ?? "", { choice: "session" });
    expect((await turn.result).outcome).toBe("completed");
    expect(runs).toHaveLength(2);
  });

  async function untilNext(session: Session, closed: number): Promise<boolean> {
    await untilTrue(
      () => session.state.closedQuestions.length === closed && session.questions().length === 1,
    );
    return true;
  }
});

describe("work beside a session", () => {
  const typed = (host: TestHost, session: Session) => (text: string) =>
    new SlashCommands().dispatch(text, {
      host,
      session,
      from: { surface: "test" },
      workspace: { cwd: "/w", roots: ["/w"] },
      signal: new AbortController().signal,
      stopProcesses: async () => 0,
    });

  test("is listed, paused and stopped by /agents", async () => {
    const held = gate();
    const aside = gate();
    const model = modelFor({
      start: inTurn([callTool("delegate", { goal: "long" })], [say("end")]),
      long: () => [wait(held)],
      aside: () => [wait(aside)],
    });
    await using host = await hostFor(model);
    const session = await host.open();
    const type = typed(host, session);
    expect(await type("/agents")).toMatchObject({ output: "Nobody works beside the session." });
    const turn = session.submit({ text: "start" });
    const taskId = await host.background(session.id, "aside", { surface: "test" });
    await Promise.all([held.reached, aside.reached]);
    const [active] = host.subagents.active();
    const listed = await type("/agents");
    expect(listed).toMatchObject({
      output: expect.stringContaining(`${active?.subagentId ?? ""}  long (running`),
    });
    expect(listed).toMatchObject({ output: expect.stringContaining(`${taskId}  in the background: aside`) });
    expect(await type("/agents pause")).toMatchObject({ output: "New subagents wait from now on." });
    expect(await type("/agents resume")).toMatchObject({ output: "Subagents begin again." });
    await type(`/agents stop ${active?.subagentId ?? ""}`);
    expect((await turn.result).text).toBe("end");
    await type(`/agents stop ${taskId}`);
    await host.subagents.idle();
    const [told] = (await allEvents(session)).filter((event) => event.type === "background.complete");
    expect(told).toMatchObject({ outcome: "cancelled", text: "error: it was stopped before it was done" });
    await expect(type("/agents stop sub_none")).rejects.toMatchObject({ code: "not_found" });
    await expect(type("/agents what")).rejects.toMatchObject({ code: "command_usage" });
  });

  test("is deleted with the session, but not with a branch of it", async () => {
    const model = modelFor({
      start: inTurn([callTool("delegate", { goal: "help" })]),
      help: inTurn([say("yes")]),
    });
    await using host = await hostFor(model);
    const session = await host.open();
    await session.submit({ text: "start" }).result;
    await host.background(session.id, "aside", { surface: "test" });
    await host.subagents.idle();
    const all = { limit: 10, offset: 0, includeChildren: true, includeHidden: true };
    expect(await host.list(all)).toHaveLength(3);
    const copy = await host.branch(session.id);
    await host.delete(copy.id);
    expect(await host.list(all)).toHaveLength(3);
    await host.delete(session.id);
    expect(await host.list(all)).toEqual([]);
  });

  test("in the background ends as stopped when the host closes", async () => {
    const store = memoryStore();
    const held = gate();
    const model = modelFor({ aside: () => [wait(held)] });
    const first = await hostFor(model, { store });
    const { id } = await first.open();
    await first.background(id, "aside", { surface: "test" });
    await held.reached;
    await first.close();
    await using second = await hostFor(model, { store });
    const session = await second.session(id);
    expect(session.state.background).toEqual([]);
    expect((await allEvents(session)).at(-1)).toMatchObject({
      type: "background.complete",
      outcome: "interrupted",
    });
  });
});
