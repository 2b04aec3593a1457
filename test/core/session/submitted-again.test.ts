import { expect, test } from "vitest";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { hostWith } from "../../kit/test-host.ts";

test("a prompt that is submitted again while it waits or runs is one prompt, for all who wait for it", async () => {
  const door = gate();
  const model = scriptedModel([wait(door), say("one")], [say("two")]);
  await using host = await hostWith(model);
  const session = await host.open();
  const submit = (id: string) => session.submit({ id, text: id });
  const turns = [submit("a"), submit("a"), submit("b"), submit("b")];
  await door.reached;
  const accepted = await Promise.all(turns.map((turn) => turn.accepted));
  expect(accepted.map(({ status, position }) => [status, position])).toEqual([
    ["started", 0],
    ["started", 0],
    ["queued", 1],
    ["queued", 1],
  ]);
  expect(session.state.queue.map(({ prompt }) => prompt.id)).toEqual(["b"]);
  door.open();
  const results = await Promise.all(turns.map((turn) => turn.result));
  expect(results.map(({ text }) => text)).toEqual(["one", "one", "two", "two"]);
  expect(model.requests).toHaveLength(2);
});
