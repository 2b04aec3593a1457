import { expect, test } from "vitest";
import { CHAT_PLATFORMS } from "../../src/chat/index.ts";
import { DEFAULT_POLICY, type ToolAnswer } from "../../src/core/index.ts";
import { HostError } from "../../src/shared/errors/host-error.ts";
import { askingTool } from "../kit/asking-tool.ts";
import { callTool, fail, gate, say, scriptedModel, wait } from "../kit/scripted-model.ts";
import { testTool, toolsOf, until } from "../kit/test-host.ts";
import { KnowledgeStage } from "../providers/knowledge/knowledge-stage.ts";
import { type ChatProcessOptions, startChat } from "./kit/chat-process.ts";
import { quick } from "./kit/fake-platform.ts";
import { FakeTelegram } from "./telegram/fake-telegram.ts";

type Options = Partial<ChatProcessOptions> & Pick<ChatProcessOptions, "models">;

const start = (fake: FakeTelegram, options: Options) => {
  const [platform] = CHAT_PLATFORMS.filter(({ name }) => name === "telegram").map(quick);
  if (platform === undefined) throw new Error("There is no Telegram.");
  return startChat({ platform, account: fake.account, ...options });
};

/** Sessions of chats get the test's tools, and one person may approve. */
const policy = {
  ...DEFAULT_POLICY,
  toolsets: { chat: ["test", "memory"] },
  chatApprovers: ["telegram:1"],
};

test("an approval takes the button of an approver, no other's, and what was decided replaces it", async () => {
  await using fake = await FakeTelegram.start();
  let ran = 0;
  const tool = testTool("launch", { effect: "once", run: () => Promise.resolve(`launched ${(ran += 1)}`) });
  const models = scriptedModel([callTool("launch")], [say("It is launched.")]);
  await using chat = await start(fake, {
    models,
    settings: { approvers: ["1"] },
    host: { toolsets: toolsOf(tool), policy },
  });
  fake.send({ chat: 42, user: 42, text: "launch it" });
  await fake.history.until(() => fake.history.messages.some(({ buttons }) => buttons.length > 0));
  const card = fake.history.messages.find(({ buttons }) => buttons.length > 0);
  expect(card?.buttons.map(({ label }) => label)).toContain("Allow once");
  // A name is no id.
  fake.press("Allow once", { user: 42, name: "Boss" });
  await fake.history.until(() => fake.unconfirmed === 0 && fake.calls.includes("answerCallbackQuery"));
  expect(ran).toBe(0);
  expect(card?.buttons).not.toEqual([]);
  fake.press("Allow once", { user: 1, name: "Boss" });
  await fake.history.until(() => fake.history.said("42").includes("It is launched."));
  expect(ran).toBe(1);
  expect(card).toMatchObject({ buttons: [], text: expect.stringContaining("Allowed once, by Boss") });
  expect(chat.reported).toEqual([]);
});

test("an answer from a chat is refused where it is stored, whoever sends it", async () => {
  await using fake = await FakeTelegram.start();
  const models = scriptedModel([callTool("launch")], [say("done")]);
  await using chat = await start(fake, {
    models,
    host: { toolsets: toolsOf(testTool("launch", { effect: "once" })), policy },
  });
  fake.send({ chat: 42, user: 42, text: "launch it" });
  await fake.history.until(() => fake.history.messages.some(({ buttons }) => buttons.length > 0));
  const session = await chat.host.session("telegram:42:1");
  const [question] = session.questions();
  const requestId = question?.request.requestId ?? "";
  for (const client of ["telegram:2", "telegram:Boss", "slack:1", undefined]) {
    const from = { surface: "chat", ...(client === undefined ? {} : { client }) };
    await expect(session.answer(requestId, { choice: "once" }, from)).rejects.toMatchObject({
      code: "not_allowed",
    });
  }
  await session.answer(requestId, { choice: "deny" }, { surface: "chat", client: "telegram:1" });
  await fake.history.until(() =>
    fake.history.said("42").some((text) => text.includes("Denied, by telegram:1")),
  );
  await fake.history.until(() => fake.history.said("42").includes("done"));
});

test("a question of the agent is answered by the next message", async () => {
  await using fake = await FakeTelegram.start();
  const heard: ToolAnswer[] = [];
  const asks = askingTool({ kind: "clarify", question: "Which colour?", choices: ["red", "blue"] }, heard);
  await using chat = await start(fake, {
    models: scriptedModel([callTool("ask")], [say("Thanks.")]),
    host: { toolsets: toolsOf(asks), policy },
  });
  fake.send({ chat: 42, user: 42, text: "paint it" });
  await fake.history.until(() => fake.history.said("42").some((text) => text.includes("Which colour?")));
  fake.send({ chat: 42, user: 42, text: "2" });
  await fake.history.until(() => fake.history.said("42").includes("Thanks."));
  expect(heard).toEqual([{ outcome: "answered", text: "blue" }]);
  expect(chat.reported).toEqual([]);
});

test("a channel's memory is in no person's prompt, and a person's in no channel's", async () => {
  await using fake = await FakeTelegram.start();
  using stage = new KnowledgeStage();
  const remember = (content: string) => [callTool("memory", { action: "add", content })];
  const models = scriptedModel(remember("canary-of-ann"), [say("noted A")], remember("canary-of-channel"), [
    say("noted B"),
  ]);
  await using chat = await start(fake, {
    models,
    host: { toolsets: stage.knowledge.toolsets, systemPrompt: stage.knowledge.systemPrompt, policy },
  });
  fake.send({ chat: 42, user: 42, text: "remember me" });
  await fake.history.until(() => fake.history.said("42").some((text) => text.includes("noted A")));
  fake.send({ chat: -7, user: 42, text: "@agent_bot remember us" });
  await fake.history.until(() => fake.history.said("-7").some((text) => text.includes("noted B")));
  // New conversations read what is remembered: of the person, of the channel, of another person, of another channel.
  const asked = async (chatId: number, user: number): Promise<string> => {
    const before = models.requests.length;
    fake.send({ chat: chatId, user, text: "@agent_bot /new" });
    fake.send({ chat: chatId, user, text: "@agent_bot what do you know?" });
    await fake.history.until(
      () => fake.history.said(String(chatId)).includes("ok") && models.requests.length > before,
    );
    return JSON.stringify(models.requests.slice(before));
  };
  const own = await asked(42, 42);
  expect([own.includes("canary-of-ann"), own.includes("canary-of-channel")]).toEqual([true, false]);
  const channel = await asked(-7, 42);
  expect([channel.includes("canary-of-ann"), channel.includes("canary-of-channel")]).toEqual([false, true]);
  for (const [chatId, user] of [
    [43, 43],
    [-8, 42],
  ] as const) {
    const other = await asked(chatId, user);
    expect([other.includes("canary-of-ann"), other.includes("canary-of-channel")]).toEqual([false, false]);
  }
  expect(chat.reported).toEqual([]);
});

test("a message that waits can be changed, and /stop does not wait", async () => {
  await using fake = await FakeTelegram.start();
  const never = gate();
  const models = scriptedModel([say("Begun"), wait(never)]);
  await using chat = await start(fake, { models });
  fake.send({ chat: 42, user: 42, text: "work for ever" });
  await fake.history.until(() => fake.history.said("42").includes("Begun"));
  const second = fake.send({ chat: 42, user: 42, text: "then do this" });
  await fake.history.until(() => fake.unconfirmed === 0);
  fake.edit(second, "no, do that");
  await fake.history.until(() => fake.unconfirmed === 0);
  await expect
    .poll(
      async () => (await chat.inbox.list({ limit: 9 })).filter(({ status }) => status === "answered").length,
    )
    .toBe(1);
  fake.send({ chat: 42, user: 42, text: "/stop" });
  await fake.history.until(() => fake.history.said("42").includes("ok"));
  expect(models.seen.at(-1)?.at(-1)).toMatch(/no, do that$/);
  expect(fake.history.said("42")[0]).toContain("It was stopped from a chat.");
});

test("what reaches beyond one's own conversation is for approvers", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, { models: scriptedModel(), settings: { approvers: ["1"] } });
  const secret = await chat.host.open({ title: "the owner's own" });
  for (const text of ["/resume the owner's own", "/sessions", "/yolo", "/tools enable terminal"])
    fake.send({ chat: 42, user: 42, text });
  await fake.history.until(() => fake.history.said("42").length === 4);
  expect(fake.history.said("42").every((text) => text.includes("is for those who may approve here"))).toBe(
    true,
  );
  fake.send({ chat: 1, user: 1, text: "/sessions" });
  await fake.history.until(() => fake.history.said("1").length === 1);
  expect(fake.history.said("1")[0]).not.toContain("may approve");
  expect(secret.state.title).toBe("the owner's own");
});

test("an answer that cannot be sent goes to the outbox, and arrives from there", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, { models: scriptedModel([say("Late but there.")]) });
  fake.refuse = Number.POSITIVE_INFINITY;
  fake.send({ chat: 42, user: 42, text: "hello" });
  // How often it is tried before depends on the time that each try takes.
  await expect.poll(() => chat.outbox.list({ limit: 5 })).toHaveLength(1);
  fake.refuse = 0;
  await fake.history.until(() => fake.history.said("42").some((text) => text.includes("Late but there.")));
  await expect
    .poll(async () => (await chat.outbox.list({ limit: 5 })).map(({ status }) => status))
    .toEqual(["delivered"]);
  expect((await chat.inbox.list({ limit: 5 })).map(({ status }) => status)).toEqual(["answered"]);
});

test("a thumb under an answer is feedback on its turn", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, { models: scriptedModel([say("Good?")]) });
  fake.send({ chat: 42, user: 42, text: "hello" });
  await fake.history.until(() => fake.history.said("42").includes("Good?"));
  await expect.poll(async () => (await chat.inbox.list({ limit: 1 }))[0]?.status).toBe("answered");
  const answer = fake.history.messages.find(({ by }) => by === "bot");
  fake.react(Number(answer?.id), "👍");
  const session = await chat.host.session("telegram:42:1");
  const feedback = await until(session.events({ after: 0 }), "turn.feedback");
  expect(feedback).toMatchObject({ verdict: "up", from: { surface: "chat", client: "telegram:42" } });
  expect(feedback.turnId).toBe(session.state.lastTurn?.turnId);
  expect(chat.reported).toEqual([]);
});

test("with busy_input_mode steer a message goes into the running turn, or is asked by itself when that was stopped", async () => {
  await using fake = await FakeTelegram.start();
  const [middle, never] = [gate(), gate()];
  const models = scriptedModel(
    [callTool("look")],
    [say("First answer."), wait(never)],
    [say("Asked by itself.")],
  );
  const look = testTool("look", { run: async () => (await middle.opened, "seen") });
  await using chat = await start(fake, {
    models,
    settings: { busyMode: "steer" },
    host: { toolsets: toolsOf(look), policy },
  });
  fake.send({ chat: 42, user: 42, text: "look around" });
  await expect.poll(() => models.requests.length).toBe(1);
  fake.send({ chat: 42, user: 42, text: "be brief" });
  await fake.history.until(() => fake.unconfirmed === 0);
  const session = await chat.host.session("telegram:42:1");
  await until(session.events({ after: 0 }), "steer.accepted");
  middle.open();
  await fake.history.until(() => fake.history.said("42").includes("First answer."));
  expect(models.seen[1]).toContain("be brief");
  fake.send({ chat: 42, user: 42, text: "too late" });
  await expect
    .poll(async () => (await session.refresh()).turn?.steers.map(({ text }) => text))
    .toEqual(["too late"]);
  await session.interrupt();
  await fake.history.until(() => fake.history.said("42").includes("Asked by itself."));
  expect(models.seen[2]?.at(-1)).toMatch(/too late$/);
  await expect
    .poll(async () => (await chat.inbox.list({ limit: 9 })).map(({ status }) => status))
    .toEqual(["answered", "answered", "answered"]);
  expect(chat.reported).toEqual([]);
});

test("what only the operator can mend is in the operator's words for the operator alone", async () => {
  await using fake = await FakeTelegram.start();
  const details = "The endpoint refused the key. Check the key in MODEL_KEY, or .env.";
  const error = new HostError("provider_auth", details);
  await using chat = await start(fake, { models: scriptedModel([fail(error)], [say("Here again.")]) });
  fake.send({ chat: 42, user: 42, text: "hello" });
  await fake.history.until(() => fake.history.said("42").some((text) => text.includes("could not answer")));
  const [told = ""] = fake.history.said("42");
  expect(told).toMatch(/its operator is told and has to look\. Ask again, or .* agent chat replay telegram-/);
  expect(told).not.toMatch(/MODEL_KEY|\.env/);
  expect(chat.reported).toEqual([expect.objectContaining({ code: "provider_auth", message: details })]);
  await expect
    .poll(() => chat.inbox.list({ status: "failed", limit: 1 }))
    .toEqual([expect.objectContaining({ error: details })]);
});

test("an answer that the model's limit cut says so below it", async () => {
  await using fake = await FakeTelegram.start();
  const models = scriptedModel([say("One, two,"), { type: "finish", reason: "length" }]);
  await using chat = await start(fake, { models });
  fake.send({ chat: 42, user: 42, text: "count" });
  await fake.history.until(() => fake.history.said("42").some((text) => text.includes("is cut")));
  expect(fake.history.said("42").at(-1)).toMatch(/^One, two,\n\nThe answer is cut: it reached the most/);
  expect(chat.reported).toEqual([]);
});

test("/help lists what somebody may use, and a command about a conversation that is empty says so", async () => {
  await using fake = await FakeTelegram.start();
  await using chat = await start(fake, { models: scriptedModel(), settings: { approvers: ["1"] } });
  for (const text of ["/help", "/usage", "/stop"]) fake.send({ chat: 42, user: 42, text });
  for (const text of ["/help", "/resume nothing of the kind"]) fake.send({ chat: 1, user: 1, text });
  await fake.history.until(() => fake.history.said("42").length === 3 && fake.history.said("1").length === 2);
  const listOf = (place: string): string =>
    fake.history.said(place).find((text) => text.includes("/new")) ?? "";
  expect(listOf("42")).toMatch(/\/stop .*/);
  expect(listOf("42")).not.toMatch(/\/(?:yolo|resume|review|pending)\b/);
  expect(listOf("1")).toMatch(/\/resume .*[\s\S]*\/pending /);
  const others = fake.history.said("42").filter((text) => text !== listOf("42"));
  expect(others).toEqual(Array.from({ length: 2 }, () => "Nothing has been said in this conversation yet."));
  expect(fake.history.said("1").find((text) => text !== listOf("1"))).toContain("nothing of the kind");
  expect(chat.reported).toEqual([]);
});

test("of many changes of a message that waits the last one counts", async () => {
  await using fake = await FakeTelegram.start();
  const busy = gate();
  const models = scriptedModel([wait(busy), say("One.")], [say("Two.")]);
  await using chat = await start(fake, { models });
  fake.send({ chat: 42, user: 42, text: "work" });
  await busy.reached;
  const waiting = fake.send({ chat: 42, user: 42, text: "draft" });
  const edits = 20;
  for (let index = 1; index <= edits; index += 1) fake.edit(waiting, `draft ${index}`);
  await expect
    .poll(
      async () => (await chat.inbox.list({ limit: 50 })).filter(({ status }) => status === "answered").length,
    )
    .toBe(edits);
  busy.open();
  await fake.history.until(() => fake.history.said("42").includes("Two."));
  expect(models.seen.at(-1)?.at(-1)).toBe(`draft ${edits}`);
  expect(chat.reported).toEqual([]);
});
