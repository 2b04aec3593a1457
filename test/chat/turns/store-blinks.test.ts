import { expect, test } from "vitest";
import type { Records } from "../../../src/core/index.ts";
import { changedObject } from "../../kit/changed-object.ts";
import { LeavingRecords } from "../../kit/leaving-records.ts";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { handChat } from "../kit/one-platform.ts";

// The outbox is asked whether an answer has to wait; the inbox keeps what was asked and what is shown of its answer.
test.each([
  { space: "delivery", when: "before" },
  { space: "delivery", when: "while" },
  { space: "chat.inbox.", when: "while" },
])("an answer is said once when the records of $space are away $when it is made", async ({ space, when }) => {
  const store = new LeavingRecords(space);
  const busy = gate();
  const { machine, one, begin } = await handChat(scriptedModel([wait(busy), say("done")]), store.of);
  const chat = await begin();
  await machine.pass(5000, () => one.sinks.length === 1);
  store.isAway = when === "before";
  await machine.during(one.write("hello"));
  await machine.during(busy.reached);
  store.isAway = true;
  busy.open();
  await machine.pass(90_000);
  store.isAway = false;
  await machine.pass(70_000, () => one.posted.length > 0);
  await machine.pass(70_000);
  expect(one.posted).toEqual(["done"]);
  expect(await chat.inbox.list({ limit: 9 })).toMatchObject([{ status: "answered", run: 1 }]);
  await machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
});

test("a message whose answering fails is answered at a later try, and holds up nobody meanwhile", async () => {
  let failing = 3;
  const odd = (records: Records): Records =>
    changedObject(records, {
      get: async (space, key) => {
        const found = await records.get(space, key);
        if (space !== "chat.inbox.telegram" || found?.value.includes('"first"') !== true || failing === 0)
          return found;
        failing -= 1;
        throw new Error("It was odd.");
      },
    });
  const { machine, one, begin } = await handChat(scriptedModel([say("two")], [say("one")]), odd);
  const chat = await begin();
  await machine.pass(5000, () => one.sinks.length === 1);
  await machine.during(one.write("first"));
  await machine.during(one.write("second"));
  await machine.pass(30_000, () => one.posted.length === 2);
  expect(one.posted).toEqual(["two", "one"]);
  expect(chat.reported.map(({ message }) => message)).toEqual(["It was odd.", "It was odd.", "It was odd."]);
  const kept = await chat.inbox.list({ limit: 9 });
  expect(kept.map(({ status }) => status)).toEqual(["answered", "answered"]);
  await machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
});
