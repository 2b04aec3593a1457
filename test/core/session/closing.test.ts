import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { type HandClock, handClock } from "../../kit/clock.ts";
import { random } from "../../kit/counts.ts";
import { askingTool } from "../../kit/asking-tool.ts";
import { Machine } from "../../kit/machine.ts";
import { callTool, gate, say, type ScriptedModel, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf, until, untilTrue } from "../../kit/test-host.ts";

/** A store that can be made to take no rows. */
async function start(models: ScriptedModel, tools = toolsOf()) {
  const clock = handClock();
  const store = memoryStore({ random: random(1), clock });
  const disk = { isFull: false };
  const host = await hostWith(models, {
    clock,
    toolsets: tools,
    store: changedObject(store, {
      append: (request) =>
        disk.isFull
          ? Promise.reject(new HostError("store_full", "The disk is full."))
          : store.append(request),
    }),
  });
  return { clock, disk, host };
}

/** Lets time pass until something is done; gives the milliseconds that it took. */
async function during(clock: HandClock, doing: Promise<unknown>): Promise<number> {
  const began = clock.monotonic();
  const state = { isOver: false };
  const over = (): void => void (state.isOver = true);
  doing.then(over, over);
  for (let step = 0; step < 10_000; step += 1) {
    for (let turn = 0; turn < 20; turn += 1) await nextTurn();
    if (state.isOver) return clock.monotonic() - began;
    clock.advance(100);
  }
  throw new Error("It does not end.");
}

test("a host whose store takes nothing any more ends ten seconds after its grace, and says which turn is not stored", async () => {
  const busy = gate();
  const { clock, disk, host } = await start(scriptedModel([wait(busy), say("done")]));
  const session = await host.open();
  const turn = session.submit({ text: "work" });
  await turn.accepted;
  await busy.reached;
  disk.isFull = true;
  // It goes on, and cannot be stored, or is interrupted, and cannot be stored either.
  expect(await during(clock, host.close({ drainMs: 5000 }))).toBeLessThanOrEqual(16_000);
  const { turnId } = session.state.turn ?? {};
  expect(turnId).toBeDefined();
  expect(host.reported.at(-1)?.message).toContain(
    `The end of turn ${turnId} of session ${session.id} could not`,
  );
});

test("the end of a turn is stored when the store takes it again before the host has ended", async () => {
  const busy = gate();
  const { clock, disk, host } = await start(scriptedModel([wait(busy), say("done")]));
  const session = await host.open();
  await session.submit({ text: "work" }).accepted;
  await busy.reached;
  disk.isFull = true;
  clock.after(8000, () => (disk.isFull = false));
  expect(await during(clock, host.close({ drainMs: 5000 }))).toBeLessThanOrEqual(14_000);
  expect(session.state.turn).toBeUndefined();
  expect(session.state.lastTurn).toMatchObject({ outcome: "interrupted" });
});

test("a question is left open at once by a host whose store takes nothing any more", async () => {
  const tools = toolsOf(testTool("launch", { effect: "once" }));
  const { clock, disk, host } = await start(scriptedModel([callTool("launch")]), tools);
  const session = await host.open();
  await session.submit({ text: "go" }).accepted;
  await expect.poll(() => session.state.questions.length).toBe(1);
  disk.isFull = true;
  expect(await during(clock, host.close())).toBeLessThanOrEqual(1000);
  expect(session.state.questions).toHaveLength(1);
  expect(host.reported.map(({ message }) => message)).toContain("The disk is full.");
});

/** Whether a promise is still open when everything that goes on by itself has come to its end. */
async function isOpen(promise: Promise<unknown>): Promise<boolean> {
  const state = { isOver: false };
  promise.finally(() => (state.isOver = true)).catch(() => undefined);
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
  return !state.isOver;
}

const launch = () => testTool("launch", { effect: "once" });

test("a turn that only waits for an answer is not waited for", async () => {
  const { clock, host } = await start(scriptedModel([callTool("launch")]), toolsOf(launch()));
  const session = await host.open();
  await session.submit({ text: "go" }).accepted;
  await untilTrue(() => session.state.questions.length === 1);
  expect(await during(clock, host.close({ drainMs: 30_000 }))).toBeLessThanOrEqual(1000);
  expect(session.state).toMatchObject({ turn: {}, questions: [{ request: { type: "approval.request" } }] });
});

test("a turn that comes to wait for an answer while its host ends is waited for no longer", async () => {
  const busy = gate();
  const { clock, host } = await start(
    scriptedModel([wait(busy), say("I begin."), callTool("launch")]),
    toolsOf(launch()),
  );
  const session = await host.open();
  await session.submit({ text: "go" }).accepted;
  await busy.reached;
  const closing = host.close({ drainMs: 30_000 });
  expect(await isOpen(closing)).toBe(true);
  busy.open();
  expect(await during(clock, closing)).toBeLessThanOrEqual(1000);
  expect(session.state).toMatchObject({ turn: {}, questions: [{ request: { type: "approval.request" } }] });
});

test("an answer that comes while another turn is waited for is taken, and its turn runs to its end", async () => {
  const [busy, launching] = [gate(), gate()];
  const run = async (): Promise<string> => {
    launching.arrive();
    await launching.opened;
    return "launched";
  };
  const model = scriptedModel([callTool("launch")], [wait(busy), say("worked")], [say("it flies")]);
  const { host } = await start(model, toolsOf(testTool("launch", { effect: "once", run })));
  const asking = await host.open();
  const asked = asking.submit({ text: "go" });
  const { requestId } = await until(asked, "approval.request");
  const working = (await host.open()).submit({ text: "work" });
  await busy.reached;
  const closing = host.close({ drainMs: 30_000 });
  expect(await isOpen(closing)).toBe(true);
  await asking.answer(requestId, { choice: "once" });
  await launching.reached;
  busy.open();
  expect(await working.result).toMatchObject({ outcome: "completed", text: "worked" });
  expect(await isOpen(closing)).toBe(true);
  launching.open();
  await closing;
  expect(await asked.result).toMatchObject({ outcome: "completed", text: "it flies" });
});

test("a call that runs beside an open question is waited for", async () => {
  const reading = gate();
  const read = async (): Promise<string> => {
    reading.arrive();
    await reading.opened;
    return "read";
  };
  const tools = toolsOf(
    askingTool({ kind: "clarify", question: "Which one?", choices: ["a", "b"] }, []),
    testTool("look", { run: read }),
  );
  const { host } = await start(scriptedModel([callTool("ask"), callTool("look")]), tools);
  const session = await host.open();
  await session.submit({ text: "go" }).accepted;
  await reading.reached;
  await untilTrue(() => session.state.questions.length === 1);
  const closing = host.close({ drainMs: 30_000 });
  expect(await isOpen(closing)).toBe(true);
  reading.open();
  await closing;
  const { turn, questions } = session.state;
  expect(questions).toHaveLength(1);
  expect(turn?.calls.map(({ call, status }) => [call.name, status])).toEqual([
    ["ask", "started"],
    ["look", "done"],
  ]);
});

test("an answer to a turn that was just left is refused, and the next process takes it", async () => {
  const machine = new Machine();
  const saving = gate();
  const closing = async (): Promise<void> => {
    saving.arrive();
    await saving.opened;
  };
  const toolsets = toolsOf(launch());
  const first = await machine.start(scriptedModel([callTool("launch")]), { toolsets, closing });
  const session = await first.host.open();
  const asked = session.submit({ text: "go" });
  const { requestId } = await until(asked, "approval.request");
  const closed = first.host.close({ drainMs: 30_000 });
  await saving.reached;
  await expect(session.answer(requestId, { choice: "once" })).rejects.toMatchObject({ code: "draining" });
  saving.open();
  await closed;
  await expect(asked.result).rejects.toMatchObject({ code: "draining" });
  const next = await machine.start(scriptedModel([say("it flies")]), { toolsets });
  const again = await next.host.session(session.id);
  const ended = until(again.events({ after: again.cursor }), "turn.end");
  await again.answer(requestId, { choice: "once" });
  expect(await ended).toMatchObject({ outcome: "completed" });
});
