import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { say, scriptedModel } from "../../kit/scripted-model.ts";
import { until } from "../../kit/test-host.ts";
import { startChat } from "../kit/chat-process.ts";
import { quick } from "../kit/fake-platform.ts";
import { FakeSlack } from "./fake-slack.ts";

const [slack] = CHAT_PLATFORMS.filter(({ name }) => name === "slack");
if (slack === undefined) throw new Error("There is no Slack.");

const start = (fake: FakeSlack, ...answers: readonly string[]) =>
  startChat({
    platform: quick(slack),
    account: fake.account,
    models: scriptedModel(...answers.map((text) => [say(text)])),
  });

test("a thumb under an answer is feedback on its turn, and taking it back is, too", async () => {
  await using fake = await FakeSlack.start();
  await using chat = await start(fake, "Good?");
  fake.send({ text: "hello" });
  await fake.history.until(() => fake.history.said("D1").includes("Good?"));
  await expect.poll(async () => (await chat.inbox.list({ limit: 1 }))[0]?.status).toBe("answered");
  const { id: ts } = fake.history.messages.find(({ by }) => by === "bot") ?? {};
  const reaction = { user: "U1", reaction: "+1::skin-tone-3", item: { type: "message", channel: "D1", ts } };
  fake.event({ ...reaction, type: "reaction_added", channel: "D1" });
  const session = await chat.host.session("slack:D1:1");
  const up = await until(session.events({ after: 0 }), "turn.feedback");
  expect(up).toMatchObject({
    verdict: "up",
    turnId: session.state.lastTurn?.turnId,
    from: { surface: "chat", client: "slack:U1" },
  });
  fake.event({ ...reaction, type: "reaction_removed", channel: "D1" });
  expect(await until(session.events({ after: up.seq }), "turn.feedback")).toMatchObject({ verdict: "none" });
  expect(chat.reported).toEqual([]);
});

test("nothing is sent before the time is over that Slack asks to wait, and the answer arrives then", async () => {
  await using fake = await FakeSlack.start();
  await using chat = await start(fake, "One.", "Two.");
  fake.putOff = 1;
  fake.send({ text: "first" });
  await fake.history.until(() => fake.putOff === 0);
  fake.send({ text: "second" });
  await fake.history.until(() => fake.history.said("D1").length === 2);
  expect(fake.history.said("D1")).toEqual(["One.", "Two."]);
  expect(fake.history.breaches).toEqual([]);
  expect(chat.reported).toEqual([]);
});
