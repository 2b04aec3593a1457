import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { memoryStore } from "../../../src/providers/store/index.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { type HandClock, handClock } from "../../kit/clock.ts";
import { random } from "../../kit/counts.ts";
import { callTool, gate, say, type ScriptedModel, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf } from "../../kit/test-host.ts";

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
