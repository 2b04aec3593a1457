import { expect, test } from "vitest";
import type { AppendRequest, Store } from "../../../src/core/index.ts";
import { memoryHome } from "../../../src/providers/store/index.ts";
import { handClock } from "../../kit/clock.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { hostWith, testTool, toolsOf, until } from "../../kit/test-host.ts";

/** A store that writes down what is asked of it. */
function counted(store: Store): { readonly store: Store; readonly trips: string[] } {
  const trips: string[] = [];
  const proxy = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: readonly unknown[]): unknown => {
        trips.push(name === "append" && isAnswer(args[0]) ? "append of an answer" : String(name));
        return Reflect.apply(value, target, args);
      };
    },
  });
  return { store: proxy, trips };
}

const isAnswer = (request: unknown): boolean => (request as AppendRequest).results.length > 0;

test("an answer from another process takes one look, one command and one append", async () => {
  const home = memoryHome();
  const clock = handClock();
  const [a, b] = [1, 2].map((pid) => {
    const identity = { pid, startedAt: "1", bootId: "b", pidNamespace: "n", machineId: "m" };
    return counted(home.open({ identity, isRunning: () => true, clock }));
  });
  if (a === undefined || b === undefined) throw new Error("There are two.");
  const toolsets = toolsOf(testTool("change", { effect: "once" }));
  const model = scriptedModel([callTool("change")], [say("done")]);
  await using asking = await hostWith(model, { store: a.store, toolsets, clock });
  await using answering = await hostWith(scriptedModel(), { store: b.store, clock });
  const session = await asking.open();
  const turn = session.submit({ text: "go" });
  const { requestId } = await until(turn, "approval.request");
  const other = await answering.session(session.id);
  const before = { a: a.trips.length, b: b.trips.length };
  await other.answer(requestId, { choice: "once" });
  expect(b.trips.slice(before.b)).toEqual(["record", "send"]);
  // What comes behind it is the turn, which goes on.
  expect(a.trips[before.a]).toBe("append of an answer");
  expect(a.trips.slice(before.a + 1)).not.toContain("append of an answer");
  expect((await turn.result).outcome).toBe("completed");
});
