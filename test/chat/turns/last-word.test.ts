import { expect, test } from "vitest";
import { gate, say, scriptedModel, wait } from "../../kit/scripted-model.ts";
import { handChat } from "../kit/one-platform.ts";

// As another host does it that has taken the message over.
test.each([
  { what: "has ended", theirs: { status: "failed", endedAt: Date.UTC(2026, 0, 1), error: "theirs" } },
  { what: "runs anew", theirs: { status: "begun", run: 2 } },
] as const)("a message that another host $what meanwhile stays as that one left it", async ({ theirs }) => {
  const busy = gate();
  const { machine, one, begin } = await handChat(scriptedModel([wait(busy), say("done")]), (same) => same);
  const chat = await begin();
  await machine.pass(5000, () => one.sinks.length === 1);
  await machine.during(one.write("hello"));
  await machine.during(busy.reached);
  const [entry] = await chat.inbox.list({ limit: 1 });
  await chat.inbox.change(entry?.id ?? "", (now) => ({ ...now, ...theirs }), { repeatsMs: 60_000 });
  busy.open();
  await machine.pass(5000, () => one.posted.length === 1);
  await machine.pass(1000);
  expect(await chat.inbox.list({ limit: 9 })).toMatchObject([theirs]);
  await machine.during(Promise.resolve(chat[Symbol.asyncDispose]()));
});
