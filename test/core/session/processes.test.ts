import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  type AppendRequest,
  DEFAULT_POLICY,
  defineTool,
  interruptionOf,
  openHost,
  promptText,
  readTranscript,
  type Session,
  type SessionEvent,
  type ToolAnswer,
  type Turn,
} from "../../../src/core/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { conversationFaults } from "../../kit/conversation-validator.ts";
import { times } from "../../kit/counts.ts";
import { handClock } from "../../kit/clock.ts";
import { logPen, prompt, sessionStart } from "../../kit/log-pen.ts";
import { Machine } from "../../kit/machine.ts";
import { callTool, gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { allEvents, hostWith, outline, testTool, toolsOf, until, untilTrue } from "../../kit/test-host.ts";

describe("two processes on one home", () => {
  test("a prompt to a session that another process drives is queued there, and its end is seen here", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([wait(hold), say("first")], [say("second")]));
    const b = await machine.start(scriptedModel([say("wrong process")]));
    const mine = await a.host.open();
    const first = mine.submit({ text: "one" });
    await first.accepted;
    const theirs = await b.host.session(mine.id);
    const second = theirs.submit({ text: "two" });
    expect(await second.accepted).toMatchObject({ status: "queued", position: 1 });
    const reading = Array.fromAsync(second);
    hold.open();
    expect((await second.result).text).toBe("second");
    expect(outline(await reading)).toEqual([
      "turn.start",
      "message.delta second",
      "reply.complete",
      "message.complete complete second",
      "turn.end completed",
    ]);
    await a.host.close();
    await b.host.close();
  });

  test("each of several prompts gets its own answer, also where news of many turns come at once", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([wait(hold), say("0")], [say("1")], [say("2")], [say("3")]));
    const b = await machine.start(scriptedModel());
    const mine = await a.host.open();
    await mine.submit({ text: "zero" }).accepted;
    const theirs = await b.host.session(mine.id);
    const turns: Turn[] = [];
    for (const text of ["one", "two", "three"]) {
      const turn = theirs.submit({ text });
      await turn.accepted;
      turns.push(turn);
    }
    hold.open();
    const texts = await Promise.all(turns.map(async ({ result }) => (await result).text));
    expect(texts).toEqual(["1", "2", "3"]);
    await a.host.close();
    await b.host.close();
  });

  test("a process that does not stay leaves the queue to whoever waits for it, in order", async () => {
    const machine = new Machine();
    const hold = gate();
    const passing = { resident: false };
    const modelA = scriptedModel([wait(hold), say("mine")]);
    const modelB = scriptedModel();
    const a = await machine.start(modelA, passing);
    const b = await machine.start(modelB, passing);
    const c = await machine.start(modelB, passing);
    const inA = await a.host.open();
    const own = inA.submit({ text: "0" });
    await hold.reached;
    const first = (await b.host.session(inA.id)).submit({ text: "1" });
    await first.accepted;
    const second = (await c.host.session(inA.id)).submit({ text: "2" });
    await second.accepted;
    hold.open();
    expect((await own.result).text).toBe("mine");
    await a.host.close();
    expect(await first.result).toMatchObject({ outcome: "completed" });
    expect(await second.result).toMatchObject({ outcome: "completed" });
    expect(modelA.requests).toHaveLength(1);
    expect(modelB.seen.at(-1)).toEqual(["0", "1", "2"]);
    await b.host.close();
    await c.host.close();
  });

  test("a process that does not stay begins no turn for another one", async () => {
    const machine = new Machine();
    const modelA = scriptedModel([say("a")]);
    const a = await machine.start(modelA, { resident: false, keepLeaseMs: 60_000 });
    const b = await machine.start(scriptedModel([say("b")]), { resident: false });
    const inA = await a.host.open();
    await inA.submit({ text: "1" }).result;
    const turn = (await b.host.session(inA.id)).submit({ text: "2" });
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "b" });
    await a.host.close();
    expect(modelA.requests).toHaveLength(1);
    await b.host.close();
  });

  test("an idle session is driven by whoever gets the prompt, each seeing all before it", async () => {
    const machine = new Machine();
    const modelA = scriptedModel([say("a1")], [say("a2")]);
    const modelB = scriptedModel([say("b1")]);
    const a = await machine.start(modelA, { keepLeaseMs: 0 });
    const b = await machine.start(modelB, { keepLeaseMs: 0 });
    const inA = await a.host.open();
    await inA.submit({ text: "1" }).result;
    const inB = await b.host.session(inA.id);
    expect((await inB.submit({ text: "2" }).result).text).toBe("b1");
    expect((await inA.submit({ text: "3" }).result).text).toBe("a2");
    expect(modelA.seen.at(-1)).toEqual(["1", "2", "3"]);
    expect(await allEvents(inB)).toEqual(await allEvents(inA));
  });

  test("prompts of many clients to one session all run, once each, in the order in which they were taken", async () => {
    const machine = new Machine();
    const model = scriptedModel();
    const first = await machine.start(model);
    const processes = [first, await machine.start(model), await machine.start(model)];
    const { id } = await first.host.open();
    const open = (): Promise<Session>[] => processes.map(({ host }) => host.session(id));
    const clients = await Promise.all(Array.from({ length: 10 }, open).flat());
    const count = times(40);
    const turns = clients.flatMap((one, client) =>
      Array.from({ length: count }, (_, index) => one.submit({ text: `${client}.${index}` })),
    );
    for (const turn of turns) expect(await turn.result).toMatchObject({ outcome: "completed" });
    const session = await first.host.session(id);
    await session.refresh();
    const order = (await allEvents(session)).flatMap((event) =>
      event.type === "turn.start" ? [promptText(event.prompt.parts)] : [],
    );
    expect(order.toSorted()).toEqual(
      clients
        .flatMap((_, client) => Array.from({ length: count }, (_each, index) => `${client}.${index}`))
        .toSorted(),
    );
    // Each saw all before it, in the order of the log.
    for (const [index, seen] of model.seen.entries()) expect(seen).toEqual(order.slice(0, index + 1));
    for (const client of clients.keys()) {
      const own = order.filter((text) => text.startsWith(`${client}.`));
      expect(own).toEqual(Array.from({ length: count }, (_, index) => `${client}.${index}`));
    }
    for (const { host } of processes) await host.close();
  });

  test("an id that was deleted and given to another session stands for that one from then on", async () => {
    const machine = new Machine();
    const a = await machine.start(scriptedModel());
    const b = await machine.start(scriptedModel());
    const first = await a.host.open({ id: "same" });
    await first.submit({ text: "one" }).result;
    await first.submit({ text: "two" }).result;
    const seen = await b.host.session("same");
    await a.host.delete("same");
    expect(first.gone).toBe(true);
    await expect(first.submit({ text: "x" }).accepted).rejects.toMatchObject({ code: "session_not_found" });
    machine.clock.advance(10_000);
    const second = await a.host.open({ id: "same" });
    // The other process has not looked since.
    await expect(seen.submit({ text: "x" }).accepted).rejects.toMatchObject({ code: "session_not_found" });
    await (await b.host.session("same")).submit({ text: "three" }).result;
    expect((await second.refresh()).counts.turns).toBe(1);
    await a.host.close();
    await b.host.close();
  });

  test.each<[string, { runs?: boolean; waits?: boolean; asks?: boolean }]>([
    ["that an answer has just ended in", {}],
    ["that another one writes an answer in", { runs: true }],
    ["in which prompts wait", { runs: true, waits: true }],
    ["that waits for an answer", { asks: true }],
  ])(
    "a session %s is deleted by any of them",
    async (_which, { runs = false, waits = false, asks = false }) => {
      const machine = new Machine({ apart: true });
      const hold = gate();
      const heard: ToolAnswer[] = [];
      const asking = askingTool({ kind: "clarify", question: "Which?", choices: ["a", "b"] }, heard);
      const steps = asks ? callTool("ask") : runs ? wait(hold) : say("one");
      const options = { toolsets: toolsOf(asking), keepLeaseMs: 2000 };
      const a = await machine.start(scriptedModel([steps], [say("two")]), options);
      const b = await machine.start(scriptedModel(), options);
      const session = await a.host.open();
      const turn = session.submit({ text: "one" });
      if (asks) await until(session.events({ after: 0 }), "clarify.request");
      else if (runs) await hold.reached;
      else await turn.result;
      if (waits) await (await b.host.session(session.id)).submit({ text: "two" }).accepted;
      expect((await b.store.record(session.id))?.owner?.hostId).toBe(a.store.hostId);
      await machine.during(b.host.delete(session.id));
      expect(await a.host.record(session.id)).toBeUndefined();
      await expect(session.refresh()).rejects.toMatchObject({ code: "session_not_found" });
      await machine.during(a.host.close());
      await machine.during(b.host.close());
    },
  );

  test("a session whose process does not let go of it stays", async () => {
    const machine = new Machine({ apart: true });
    const hold = gate();
    const a = await machine.start(scriptedModel([wait(hold)]));
    const b = await machine.start(scriptedModel());
    const session = await a.host.open();
    const turn = session.submit({ text: "one" });
    await hold.reached;
    // An older version.
    a.store.onCommand(({ id }) => {
      const body = JSON.stringify({ code: "invalid_params", message: "There is no operation letGo." });
      void a.store.answer([{ id, ok: false, body }]);
    });
    await expect(machine.during(b.host.delete(session.id))).rejects.toMatchObject({
      code: "session_busy",
      message: expect.stringContaining("There is no operation letGo."),
    });
    hold.open();
    expect(await machine.during(turn.result)).toMatchObject({ outcome: "completed" });
    await a.host.close();
    await b.host.close();
  });

  test("who sends a prompt while the session is being deleted learns of it", async () => {
    const machine = new Machine();
    const hold = gate();
    const report = (): void => undefined;
    const before = await machine.start(scriptedModel());
    const { id } = await before.host.open();
    await before.host.close();
    const { host, store } = await machine.start(scriptedModel([wait(hold)]), { report });
    const remove = store.remove.bind(store);
    let sent: Turn | undefined;
    store.remove = async (each) => {
      sent = (await host.session(each)).submit({ text: "one" });
      await sent.accepted;
      return await remove(each);
    };
    await host.delete(id);
    await expect(sent?.result).rejects.toThrow(HostError);
    await host.close();
  });

  test("interrupt, steer and answers reach the process that drives", async () => {
    const machine = new Machine();
    const model = scriptedModel([callTool("change")], [say("ok")]);
    const a = await machine.start(model, { toolsets: toolsOf(testTool("change", { effect: "once" })) });
    const b = await machine.start(scriptedModel());
    const inA = await a.host.open();
    const turn = inA.submit({ text: "go" });
    const { requestId } = await until(turn, "approval.request");
    const inB = await b.host.session(inA.id);
    expect(await inB.steer("be kind")).toBe(true);
    await inB.answer(requestId, { choice: "once" }, { surface: "tui" });
    expect((await turn.result).text).toBe("ok");
    expect(model.seen.at(-1)).toEqual(["go", "be kind"]);
    await expect(inB.answer(requestId, { choice: "deny" })).rejects.toMatchObject({
      code: "question_not_pending",
    });
    const hold = gate();
    model.script([say("x"), wait(hold)]);
    const next = inA.submit({ text: "more" });
    await Promise.all([next.accepted, hold.reached]);
    expect(await inB.interrupt()).toMatchObject({ interrupted: true });
    expect(await next.result).toMatchObject({ outcome: "cancelled" });
  });

  test("a reader in another process sees deltas before their row is written", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([say("Hel"), wait(hold), say("lo")]));
    const b = await machine.start(scriptedModel());
    const inA = await a.host.open();
    const inB = await b.host.session(inA.id);
    const events: SessionEvent[] = [];
    const reading = (async () => {
      for await (const event of inB.events()) {
        events.push(event);
        if (event.type === "turn.end") return;
      }
    })();
    const turn = inA.submit({ text: "hi" });
    await hold.reached;
    await untilTrue(() => events.some(({ type }) => type === "message.delta"));
    hold.open();
    await turn.result;
    await reading;
    expect(outline(events).slice(-5)).toEqual([
      "message.delta Hel",
      "message.delta lo",
      "reply.complete",
      "message.complete complete Hello",
      "turn.end completed",
    ]);
  });
});

test("a prompt that its sender gave up waiting for is not taken, and all that was on its way with it arrives", async () => {
  const home = memoryHome();
  const clock = handClock();
  const [own, theirs] = [1, 2].map((pid) => {
    const identity = { pid, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" };
    return home.open({ identity, isRunning: () => true, clock });
  });
  if (own === undefined || theirs === undefined) throw new Error("There are two.");
  const slow = gate();
  const store = new Proxy(own, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "append") return typeof value === "function" ? value.bind(target) : value;
      return async (request: AppendRequest) => {
        if (request.results.length > 0) {
          slow.arrive();
          await slow.opened;
        }
        return await target.append(request);
      };
    },
  });
  const hold = gate();
  const model = scriptedModel([say("one"), wait(hold), say(" more")], [say("second")]);
  await using owner = await hostWith(model, { store, clock });
  await using other = await hostWith(scriptedModel(), { store: theirs, clock });
  const session = await owner.open();
  const first = session.submit({ text: "first" });
  const seen = Array.fromAsync(first);
  await hold.reached;
  const { accepted } = (await other.session(session.id)).submit({ text: "given up" });
  const waiting = { isOver: false };
  const refused = accepted.catch(({ code }: { code: string }) => code).finally(() => (waiting.isOver = true));
  await slow.reached;
  // Both are decided on top of it.
  const second = session.submit({ text: "own" });
  hold.open();
  for (let ticks = 0; !waiting.isOver; ticks += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    if (ticks % 10 === 9) clock.advance(1000);
  }
  expect(await refused).toBe("session_unreachable");
  slow.open();
  expect((await first.result).text).toBe("one more");
  expect((await second.result).text).toBe("second");
  expect((await seen).flatMap((event) => (event.type === "message.delta" ? [event.text] : [])).join("")).toBe(
    "one more",
  );
  const starts = (await allEvents(session)).filter((event) => event.type === "turn.start");
  expect(starts.map(({ prompt }) => promptText(prompt.parts))).toEqual(["first", "own"]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).not.toContain("given up");
  expect(owner.reported).toEqual([]);
});

describe("after the death of a process", () => {
  test("who follows its turn hears within a second that it was interrupted, and why, and so do lists and histories", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([say("Half an an"), wait(hold)]));
    const b = await machine.start(scriptedModel());
    const session = await a.host.open();
    session.submit({ text: "go" });
    await hold.reached;
    const again = await b.host.session(session.id);
    const ends = until(again.events(), "turn.end");
    await untilTrue(() => again.state.turn !== undefined);
    expect(await session.steer("be brief")).toBe(true);
    a.die();
    machine.clock.advance(1000);
    const end = await ends;
    const reason = "The process that ran it was killed or crashed.";
    expect(end).toMatchObject({ outcome: "interrupted", reason });
    const record = await b.host.record(session.id);
    expect(record && interruptionOf(record.state)).toBe(reason);
    const { entries } = await readTranscript(b.store, again, { limit: 9 });
    expect(entries.slice(-2)).toMatchObject([
      { role: "assistant", text: "Half an an" },
      // Words that it was sent and did not read are not lost either.
      { role: "end", outcome: "interrupted", text: `${reason} It had not read: be brief` },
    ]);
    hold.open();
  });

  test("its turn is closed as interrupted with the text that was shown, and the next request is legal", async () => {
    const machine = new Machine();
    const stuck = gate();
    const tool = testTool("work", {
      effect: "once",
      run: () => (stuck.arrive(), new Promise(() => undefined)),
    });
    const off = { ...DEFAULT_POLICY, approvals: { ...DEFAULT_POLICY.approvals, mode: "off" as const } };
    const a = await machine.start(scriptedModel([say("Let me."), callTool("work", {}, "w1")]), {
      toolsets: toolsOf(tool),
      policy: off,
    });
    const session = await a.host.open();
    session.submit({ text: "go" });
    await stuck.reached;
    a.die();
    const model = scriptedModel([say("recovered")]);
    const b = await machine.start(model);
    const again = await b.host.session(session.id);
    expect(again.state.turn).toBeUndefined();
    expect(outline(await allEvents(again, 1))).toEqual([
      "turn.start",
      "message.delta Let me.",
      "reply.complete",
      "tool.start work",
      "tool.complete work unknown",
      "message.complete interrupted Let me.",
      "turn.end interrupted",
    ]);
    await again.submit({ text: "and?" }).result;
    expect(conversationFaults(model.requests[0]?.messages ?? [])).toEqual([]);
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("outcome of this call is unknown");
  });

  test("streamed text that no row held yet is kept, at the same cursors", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([say("Once upon"), wait(hold)]));
    const session = await a.host.open();
    session.submit({ text: "tell" });
    await hold.reached;
    const shown = await until(session.events(), "message.delta");
    a.die();
    const b = await machine.start(scriptedModel());
    const events = await allEvents(await b.host.session(session.id));
    expect(events.find(({ type }) => type === "message.delta")).toMatchObject({
      text: "Once upon",
      seq: shown.seq,
    });
    expect(
      await Array.fromAsync(
        (await b.host.session(session.id)).events({ after: shown.seq - 4, follow: false }),
      ),
    ).toMatchObject([
      { type: "message.delta", text: "upon", seq: shown.seq },
      { type: "reply.complete" },
      { type: "message.complete", text: "Once upon" },
      { type: "turn.end" },
    ]);
  });

  test("an approval that was open stays open under its id, and its answer goes on with the recorded call", async () => {
    const machine = new Machine();
    const inputs: unknown[] = [];
    const change = testTool("change", {
      effect: "once",
      run: async (input) => (inputs.push(input), "changed"),
    });
    const first = scriptedModel([say("I will."), callTool("change", { path: "a" })]);
    const a = await machine.start(first, { toolsets: toolsOf(change) });
    const session = await a.host.open();
    const { requestId } = await until(session.submit({ text: "go" }), "approval.request");
    a.die();
    const second = scriptedModel([say("Did it.")]);
    const b = await machine.start(second, { toolsets: toolsOf(change) });
    const again = await b.host.session(session.id);
    expect(again.questions()).toMatchObject([{ request: { requestId, type: "approval.request" } }]);
    expect(inputs).toEqual([]);
    const ended = until(again.events({ after: again.cursor }), "turn.end");
    await again.answer(requestId, { choice: "once" });
    expect((await ended).outcome).toBe("completed");
    expect(inputs).toEqual([{ path: "a" }]);
    expect(first.requests).toHaveLength(1);
    expect(second.requests).toHaveLength(1);
    await b.host.close();
  });

  test("a question outlives all who ever drove its turn, and nobody is told of a denial when its time runs out meanwhile", async () => {
    const machine = new Machine({ apart: true });
    const change = testTool("change", { effect: "once" });
    const asking = { toolsets: toolsOf(change) };
    const left = await machine.start(scriptedModel([callTool("change")], [callTool("change")]), asking);
    const [answered, forgotten] = [await left.host.open(), await left.host.open()];
    const { requestId } = await until(answered.submit({ text: "go" }), "approval.request");
    await until(forgotten.submit({ text: "go" }), "approval.request");
    // Many newer ones ask as well, and have time.
    const turnId = "t";
    const question = { requestId: "q", turnId, callId: "c", timeoutMs: 1e12, beforeEffect: true } as const;
    for (let nth = 0; nth < 100; nth += 1) {
      const pen = logPen(() => machine.clock.now() + 1);
      const turn = { type: "turn.start", turnId, prompt: prompt("go") } as const;
      const asked = { type: "clarify.request", ...question, question: "Which?", choices: [] } as const;
      await left.store.create(`newer${nth}`, pen.rows([sessionStart(), turn, asked]), pen.state);
    }
    await left.host.close();
    // Who takes it over next dies as well, before anybody has seen the questions there.
    const second = await machine.start(scriptedModel(), asking);
    second.die();
    const model = scriptedModel([say("did it")], [say("went on")]);
    const third = await machine.start(model, asking);
    const again = await third.host.session(answered.id);
    const ended = until(again.events({ after: again.cursor }), "turn.end");
    await again.answer(requestId, { choice: "once" });
    expect((await ended).outcome).toBe("completed");
    const { approvals, questions } = DEFAULT_POLICY;
    await machine.pass(10_000);
    machine.clock.advance(approvals.timeoutMs + questions.unseenMs);
    await untilTrue(() => model.requests.length === 2);
    const rest = await allEvents(await third.host.session(forgotten.id));
    expect(outline(rest)).toContain("approval.resolved expired");
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain("nobody answered");
    await third.host.close();
  });

  test("a session that is removed while the time of its question is looked after keeps no other from going on", async () => {
    const machine = new Machine({ apart: true });
    const asking = { toolsets: toolsOf(testTool("change", { effect: "once" })) };
    const left = await machine.start(scriptedModel([callTool("change")]), asking);
    const session = await left.host.open();
    await until(session.submit({ text: "go" }), "approval.request");
    await left.host.close();
    const reported: string[] = [];
    const report = ({ code }: { readonly code: string }): void => void reported.push(code);
    const { host, store } = await machine.start(scriptedModel(), { ...asking, report });
    const known = await host.session(session.id);
    const list = store.list.bind(store);
    store.list = async (query) => {
      const found = await list(query);
      if (query.doing === "asking") await store.remove(known.id);
      return found;
    };
    await host.sweep();
    expect(reported).toEqual(["session_not_found"]);
    await host.close();
  });

  test("a clarification that was open goes on too, without being asked again", async () => {
    const machine = new Machine();
    const ask = defineTool({
      name: "ask",
      description: "asks twice",
      toolset: "test",
      kind: "other",
      effect: "pure",
      input: z.object({}),
      label: () => "ask",
      async run(_input, context) {
        const one = await context.ask({ kind: "clarify", question: "One?", choices: [] });
        const two = await context.ask({ kind: "clarify", question: "Two?", choices: [] });
        const text = [one, two]
          .map((answer) => (answer.outcome === "answered" ? answer.text : answer.outcome))
          .join("+");
        return { outcome: "ok", content: [{ type: "text", text }] };
      },
    });
    const a = await machine.start(scriptedModel([callTool("ask")]), { toolsets: toolsOf(ask) });
    const session = await a.host.open();
    const turn = session.submit({ text: "go" });
    const asked: string[] = [];
    for await (const event of turn) {
      if (event.type !== "clarify.request") continue;
      asked.push(event.question);
      if (event.question === "Two?") break;
      await session.answer(event.requestId, { text: "1" });
    }
    a.die();
    const model = scriptedModel([say("k")]);
    const b = await machine.start(model, { toolsets: toolsOf(ask) });
    const again = await b.host.session(session.id);
    const [open] = again.questions();
    expect(open?.request).toMatchObject({ question: "Two?" });
    const ended = until(again.events({ after: again.cursor }), "turn.end");
    await again.answer(open?.request.requestId ?? "", { text: "2" });
    await ended;
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("1+2");
    expect((await allEvents(again)).filter(({ type }) => type === "clarify.request")).toHaveLength(2);
  });

  test("prompts queued lately run in the process that takes over, old ones wait for a word", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([wait(hold)]));
    const session = await a.host.open();
    session.submit({ text: "running" });
    await session.submit({ text: "old" }).accepted;
    machine.clock.advance(11 * 60_000);
    await session.submit({ text: "fresh" }).accepted;
    a.die();
    const model = scriptedModel([say("did fresh")], [say("did old")]);
    const b = await machine.start(model);
    const again = await b.host.session(session.id);
    await untilTrue(() => again.state.turn === undefined && again.state.queue.length === 1);
    const told = "[The turn above was interrupted before it was answered.]";
    expect(model.seen).toEqual([["running | fresh".replace(" | ", `\n${told}\n`)]]);
    expect(again.state.queue).toMatchObject([{ held: true, prompt: { parts: [{ text: "old" }] } }]);
    await again.confirm(again.state.queue.map(({ prompt }) => prompt.id));
    await untilTrue(
      () => again.state.turn === undefined && again.state.queue.length === 0 && model.requests.length === 2,
    );
  });

  test("prompts from the terminal of a process that died wait for a word, unless somebody watches", async () => {
    const machine = new Machine();
    const a = await machine.start(scriptedModel([wait(gate())], [wait(gate())]));
    const [left, watched] = [await a.host.open(), await a.host.open()];
    for (const session of [left, watched]) {
      await session.submit({ text: "running", attended: true }).accepted;
      await session.submit({ text: "typed", attended: true }).accepted;
      await session.submit({ text: "sent by a job" }).accepted;
    }
    const model = scriptedModel([say("1")], [say("2")], [say("3")], [say("4")]);
    const b = await machine.start(model);
    const [again, seen] = [await b.host.session(left.id), await b.host.session(watched.id)];
    const leave = seen.attach({});
    a.die();
    await b.host.sweep();
    await untilTrue(() => model.requests.length === 3 && again.state.turn === undefined);
    await untilTrue(() => seen.state.turn === undefined && seen.state.queue.length === 0);
    expect(again.state.queue).toMatchObject([{ held: true, prompt: { parts: [{ text: "typed" }] } }]);
    await again.confirm(again.state.queue.map(({ prompt }) => prompt.id));
    await untilTrue(() => model.requests.length === 4 && again.state.turn === undefined);
    leave();
    await b.host.close();
  });

  test("a prompt that was left with a process that does not stay runs in the next one that does", async () => {
    const machine = new Machine();
    const hold = gate();
    const passing = { resident: false };
    const a = await machine.start(scriptedModel([wait(hold), say("mine")]), passing);
    const gone = await machine.start(scriptedModel(), passing);
    const session = await a.host.open();
    const own = session.submit({ text: "mine" });
    await hold.reached;
    await (await gone.host.session(session.id)).submit({ text: "left" }).accepted;
    await gone.host.close();
    hold.open();
    await own.result;
    await a.host.close();
    machine.clock.advance(3000);
    const onlooker = await machine.start(scriptedModel(), passing);
    expect((await onlooker.host.session(session.id)).state.queue).toHaveLength(1);
    const model = scriptedModel([say("done")]);
    const { host } = await machine.start(model);
    const again = await host.session(session.id);
    await untilTrue(() => again.state.turn === undefined && again.state.queue.length === 0);
    expect(model.seen).toEqual([["mine", "left"]]);
    await onlooker.host.close();
    await host.close();
  });

  test("a prompt that was left long ago waits for a word", async () => {
    const machine = new Machine();
    const hold = gate();
    const stays = await machine.start(scriptedModel());
    const passing = { resident: false };
    const a = await machine.start(scriptedModel([wait(hold), say("mine")]), passing);
    const gone = await machine.start(scriptedModel(), passing);
    const session = await a.host.open();
    const own = session.submit({ text: "mine" });
    await hold.reached;
    await (await gone.host.session(session.id)).submit({ text: "left" }).accepted;
    await gone.host.close();
    machine.clock.advance(11 * 60_000);
    hold.open();
    await own.result;
    await a.host.close();
    machine.clock.advance(3000);
    // The first may have begun before that.
    await stays.host.sweep();
    await stays.host.sweep();
    const left = await stays.host.session(session.id);
    expect((await left.refresh()).queue).toMatchObject([
      { held: true, prompt: { parts: [{ text: "left" }] } },
    ]);
    expect(left.state.turn).toBeUndefined();
    await stays.host.close();
  });

  test("who waits for a queued prompt runs it, also when it does not stay", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([wait(hold)]));
    const b = await machine.start(scriptedModel([say("mine now")]), { resident: false });
    const session = await a.host.open();
    session.submit({ text: "x" });
    await hold.reached;
    const waiting = (await b.host.session(session.id)).submit({ text: "y" });
    await waiting.accepted;
    a.die();
    await b.host.sweep();
    expect(await waiting.result).toMatchObject({ outcome: "completed", text: "mine now" });
    await b.host.close();
  });

  test("a living process takes over when it is asked to do something with the session", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([wait(hold)]));
    const b = await machine.start(scriptedModel([say("mine now")]));
    const session = await a.host.open();
    await session.submit({ text: "x" }).accepted;
    const inB = await b.host.session(session.id);
    a.die();
    expect((await inB.submit({ text: "y" }).result).text).toBe("mine now");
    expect((await allEvents(inB)).filter(({ type }) => type === "turn.end")).toMatchObject([
      { outcome: "interrupted" },
      { outcome: "completed" },
    ]);
  });
});

describe("closing a host", () => {
  test("ends running turns as interrupted and leaves parked ones open for the next life", async () => {
    const machine = new Machine();
    const hold = gate();
    const change = testTool("change", { effect: "once" });
    const model = scriptedModel([say("x"), wait(hold)], [callTool("change")]);
    const a = await machine.start(model, { toolsets: toolsOf(change) });
    const running = await a.host.open();
    const turn = running.submit({ text: "run" });
    await hold.reached;
    const parked = await a.host.open();
    const waiting = parked.submit({ text: "park" });
    const { requestId } = await until(waiting, "approval.request");
    await a.host.close();
    expect(await turn.result).toMatchObject({ outcome: "interrupted" });
    await expect(waiting.result).rejects.toMatchObject({ code: "draining" });
    expect(() => running.submit({ text: "late" })).not.toThrow();
    await expect(running.submit({ text: "late" }).accepted).rejects.toMatchObject({ code: "draining" });
    const b = await machine.start(scriptedModel([say("went on")]), { toolsets: toolsOf(change) });
    const again = await b.host.session(parked.id);
    expect(again.questions()).toMatchObject([{ request: { requestId } }]);
    const ended = until(again.events({ after: again.cursor }), "turn.end");
    await again.answer(requestId, { choice: "once" });
    expect(await ended).toMatchObject({ outcome: "completed" });
  });

  test("waits for running turns as long as it was told to", async () => {
    const machine = new Machine();
    const hold = gate();
    const a = await machine.start(scriptedModel([wait(hold), say("made it")]));
    const session = await a.host.open();
    const turn = session.submit({ text: "run" });
    await hold.reached;
    const closing = a.host.close({ drainMs: 30_000 });
    hold.open();
    await closing;
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "made it" });
  });

  test("waits for a turn that is just being written down, and for none after that", async () => {
    const home = memoryHome();
    const begins = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const store = home.open();
    const slow = new Proxy(store, {
      get(target, name) {
        if (name === "append")
          return async (request: AppendRequest) => {
            if (request.rows.some(({ type }) => type === "turn.start")) {
              begins.resolve();
              await go.promise;
            }
            return await target.append(request);
          };
        const member: unknown = Reflect.get(target, name, target);
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const host = await openHost({ store: slow, models: scriptedModel([say("made it")]) });
    const session = await host.open();
    const turn = session.submit({ text: "run" });
    await begins.promise;
    const closing = host.close({ drainMs: 30_000 });
    await expect(session.submit({ text: "late" }).accepted).rejects.toMatchObject({ code: "draining" });
    go.resolve();
    await closing;
    expect(await turn.result).toMatchObject({ outcome: "completed", text: "made it" });
  });
});
