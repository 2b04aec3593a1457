import { expect, test } from "vitest";
import { scriptedModel } from "../kit/scripted-model.ts";
import { GatewayStage } from "./gateway-stage.ts";

const SEED = [
  { role: "user", content: "What is in a.txt?" },
  { role: "assistant", text: "It says hello." },
  { role: "tool", content: "left out" },
];

test("a session can begin with what was said elsewhere: it is shown, and the model gets it", async () => {
  const model = scriptedModel();
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const created = await client.call("session.create", { messages: SEED });
  expect(created).toMatchObject({
    message_count: 2,
    messages: [
      { role: "user", text: "What is in a.txt?" },
      { role: "assistant", text: "It says hello." },
    ],
  });
  const { session_id } = created;
  await client.call("prompt.submit", { session_id, text: "Thanks" });
  await client.ended(session_id);
  expect(model.seen[0]).toEqual(["What is in a.txt?", "Thanks"]);
});

test("what a system said elsewhere is an instruction for the session, and no message", async () => {
  const model = scriptedModel();
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const given = [{ role: "system", content: "Talk like a pirate." }, ...SEED];
  const created = await client.call("session.create", { messages: given });
  expect(created).toMatchObject({ message_count: 2, messages: [{ role: "user" }, { role: "assistant" }] });
  const { session_id } = created;
  await client.call("prompt.submit", { session_id, text: "Thanks" });
  await client.ended(session_id);
  expect(model.seen[0]).toEqual(["What is in a.txt?", "Thanks"]);
  expect(model.requests[0]?.system).toContain("Talk like a pirate.");
});

test("a message is edited by cutting before it, counted without what was said elsewhere", async () => {
  const model = scriptedModel();
  await using stage = await GatewayStage.open(model);
  const client = await stage.client();
  const { session_id } = await client.call("session.create", { messages: SEED });
  const submit = (text: string, more: object = {}) =>
    client.ask("prompt.submit", { session_id, text, ...more });
  for (const [index, text] of ["one", "two", "three"].entries()) {
    await submit(text);
    await client.ended(session_id, index + 1);
  }
  await submit("TWO", { truncate_before_user_ordinal: 1 });
  await client.ended(session_id, 4);
  expect(model.seen.at(-1)).toEqual(["What is in a.txt?", "one", "TWO"]);
  expect((await submit("x", { truncate_before_user_ordinal: 9 })).error?.code).toBe(4018);
  expect((await submit("x", { truncate_before_user_ordinal: "first" })).error?.code).toBe(4004);
});
