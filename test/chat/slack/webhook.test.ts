import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../../src/chat/index.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { times } from "../../kit/counts.ts";
import { callTool, say, scriptedModel } from "../../kit/scripted-model.ts";
import { testTool, toolsOf } from "../../kit/test-host.ts";
import { startChat } from "../kit/chat-process.ts";
import { answerTo, echoModel } from "../kit/echo-model.ts";
import { quick } from "../kit/fake-platform.ts";
import { FakeSlack } from "./fake-slack.ts";

const [slack] = CHAT_PLATFORMS.filter(({ name }) => name === "slack");
if (slack === undefined) throw new Error("There is no Slack.");
const platform = quick(slack);

const SECRET = "a-signing-secret-of-the-tests";

/** A request as Slack posts it, signed with a secret. */
function posted(body: string, { secret = SECRET, at = Date.now(), type = "application/json" } = {}) {
  const time = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex");
  return {
    method: "POST",
    headers: {
      "content-type": type,
      "x-slack-request-timestamp": time,
      "x-slack-signature": `v0=${signature}`,
    },
    query: {},
    body: Buffer.from(body),
  };
}

test("by webhook what is signed is taken once, and what is forged or old is not read", async () => {
  await using fake = await FakeSlack.start();
  const { baseUrl, secrets } = fake.account;
  await using chat = await startChat({
    platform,
    models: echoModel(),
    account: { baseUrl, secrets: { token: secrets.token, signingSecret: SECRET }, mode: "webhook" },
  });
  const challenge = posted(JSON.stringify({ type: "url_verification", challenge: "c-1" }));
  expect(await chat.connector.webhook(challenge)).toMatchObject({ status: 200, body: "c-1" });
  const event = { type: "message", channel: "D1", channel_type: "im", user: "U1", text: "once", ts: "1.1" };
  const body = JSON.stringify({ type: "event_callback", event_id: "Ev1", event });
  const forged = [
    posted(body, { secret: "another" }),
    posted(body, { at: Date.now() - 301_000 }),
    { ...posted(body), body: Buffer.from(body.replace("once", "0nce")) },
    { ...posted(body), headers: { "content-type": "application/json" } },
  ];
  for (let index = 0; index < times(1000); index += 1)
    for (const request of forged) expect((await chat.connector.webhook(request)).status).toBe(401);
  expect(await chat.inbox.list({ limit: 10 })).toEqual([]);
  const genuine = Array.from({ length: times(100) }, () => chat.connector.webhook(posted(body)));
  expect(new Set((await Promise.all(genuine)).map(({ status }) => status))).toEqual(new Set([200]));
  await fake.history.until(() => fake.history.said("D1").some((text) => text.includes(answerTo("once"))));
  const form = new URLSearchParams({
    command: "/agent",
    text: "new",
    channel_id: "D1",
    user_id: "U1",
    trigger_id: "t1",
  });
  await chat.connector.webhook(posted(form.toString(), { type: "application/x-www-form-urlencoded" }));
  await fake.history.until(() => fake.history.said("D1").includes("A new conversation begins."));
  expect(fake.history.said("D1")).toHaveLength(2);
  expect(chat.reported).toEqual([]);
});

test("by webhook a button is pressed as it is through a connection", async () => {
  await using fake = await FakeSlack.start();
  const { baseUrl, secrets } = fake.account;
  await using chat = await startChat({
    platform,
    models: scriptedModel([callTool("launch")], [say("Launched.")]),
    account: { baseUrl, secrets: { token: secrets.token, signingSecret: SECRET }, mode: "webhook" },
    host: {
      toolsets: toolsOf(testTool("launch", { effect: "once" })),
      policy: { ...DEFAULT_POLICY, toolsets: { chat: ["test"] }, chatApprovers: ["slack:U9"] },
    },
  });
  const event = { type: "message", channel: "D1", channel_type: "im", user: "U1", text: "launch", ts: "1.1" };
  await chat.connector.webhook(posted(JSON.stringify({ type: "event_callback", event_id: "Ev1", event })));
  await fake.history.until(() => fake.history.messages.some(({ buttons }) => buttons.length > 0));
  const press = (user: number, secret = SECRET) => {
    const body = new URLSearchParams({ payload: JSON.stringify(fake.pressed("Allow once", user)) });
    const type = "application/x-www-form-urlencoded";
    return chat.connector.webhook(posted(body.toString(), { type, secret }));
  };
  expect((await press(9, "another")).status).toBe(401);
  expect((await press(1)).status).toBe(200);
  await fake.history.until(() => fake.api.whispers.length === 1);
  expect(fake.api.whispers).toEqual(["U1: You are not among those who may approve here."]);
  expect((await press(9)).status).toBe(200);
  await fake.history.until(() => fake.history.said("D1").includes("Launched."));
  await fake.history.until(() => fake.history.said("D1")[0]?.includes("— Allowed once, by ann") === true);
  expect(chat.reported).toEqual([]);
});
