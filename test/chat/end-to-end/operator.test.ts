import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { reply, startModelServer } from "../../kit/model-server/index.ts";
import { configureChats } from "../kit/configured-chats.ts";
import { writingModel } from "../kit/writing-model.ts";
import { FakeSlack } from "../slack/fake-slack.ts";
import { FakeTelegram } from "../telegram/fake-telegram.ts";

test("who may approve, and whether the platform is on, holds from the moment in which the owner writes it down", async () => {
  await using stage = new CommandStage();
  await using fake = await FakeTelegram.start();
  await using model = await writingModel();
  const configure = (extra: object, more: object = {}): void =>
    configureChats(stage, model, {
      fakes: {
        telegram: {
          fake: { account: fake.account, env: fake.env, block: { base_url: fake.url, ...more } },
          extra: { toolsets: ["files"], workspace: stage.workspace, allow: [42], ...extra },
        },
      },
      more: { approvals: { mode: "manual" } },
    });
  configure({ approvers: [42] });
  const gateway = stage.start(["gateway"]);
  const card = () => fake.history.messages.find(({ text }) => text.includes("May I do this?"));
  const clicks = (): number => fake.calls.filter((call) => call === "answerCallbackQuery").length;
  fake.send({ text: "write one.txt" });
  await fake.history.until(() => card() !== undefined);

  configure({ approvers: [1] });
  fake.press("Allow once");
  await fake.history.until(() => clicks() === 1 && fake.unconfirmed === 0);
  expect([card()?.buttons.length, existsSync(join(stage.workspace, "one.txt"))]).toEqual([4, false]);
  configure({ approvers: [42] });
  fake.press("Allow once");
  await fake.history.until(() => fake.history.said("42").some((text) => text.includes("It says:")));
  expect(existsSync(join(stage.workspace, "one.txt"))).toBe(true);
  expect((await stage.ask(["chat", "list"])).stdout).toMatch(/answered .* Ann \(42\): write one\.txt/);

  const off = Promise.withResolvers<void>();
  gateway.child.stderr.on("data", (text: string) => {
    if (text.includes('"state":"off"')) off.resolve();
  });
  configure({}, { enabled: false });
  const before = fake.history.said("42").length;
  fake.send({ text: "are you there?" });
  fake.send({ user: 7, chat: 7, text: "and who are you?" });
  await off.promise;
  expect([fake.unconfirmed, fake.history.said("42").length, fake.history.said("7")]).toEqual([2, before, []]);
  expect((await stage.ask(["connectors"])).stdout).toMatch(/telegram +disabled/);
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test("who was let in by a code is listed, and let out again; setup and doctor say what is missing to be written to", async () => {
  await using stage = new CommandStage();
  await using slack = await FakeSlack.start();
  const { baseUrl, secrets } = slack.account;
  const set = await stage.ask(["setup", "--platform", "slack", "--base-url", baseUrl, "--key-stdin"], {
    stdin: `${secrets.token}\n`,
  });
  expect([set.code, set.stderr]).toEqual([
    0,
    expect.stringMatching(/Nobody can write on Slack yet: SLACK_APP_TOKEN/),
  ]);
  expect((await stage.ask(["doctor"])).stdout).toMatch(/FAIL +slack .*texts only go out: SLACK_APP_TOKEN/);

  await using fake = await FakeTelegram.start();
  stage.configure(`platforms: {telegram: {enabled: true, base_url: "${fake.url}"}}\n`);
  Object.assign(stage.env, fake.env);
  const gateway = stage.start(["gateway"]);
  fake.send({ user: 7, chat: 7, text: "hello" });
  await fake.history.until(() => fake.history.said("7").length > 0);
  const code = /agent pair (\w{8})/.exec(fake.history.said("7")[0] ?? "")?.[1] ?? "";
  expect((await stage.ask(["pair", code])).stdout).toMatch(/Ann \(telegram 7\) may talk/);
  expect((await stage.ask(["pair", "--people"])).stdout).toMatch(/^telegram:7 {2}Ann {2}since /);
  expect((await stage.ask(["pair", "--remove", "telegram:7"])).stdout).toMatch(/is not any more/);
  expect((await stage.ask(["pair", "--remove", "telegram:7"])).stderr).toMatch(/was not let in by a code/);
  fake.send({ user: 7, chat: 7, text: "still here?" });
  await fake.history.until(() => fake.history.said("7").length === 2);
  expect(fake.history.said("7")[1]).toContain("I do not know you yet");
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test("a message that failed is listed, and is answered when an operator has it done again", async () => {
  await using stage = new CommandStage();
  await using fake = await FakeTelegram.start();
  let isBroken = true;
  await using model = await startModelServer({
    answer: () =>
      isBroken
        ? { status: 400, body: `{"error":{"message":"The model is being repaired."}}` }
        : reply("All is well."),
  });
  configureChats(stage, model, {
    fakes: { telegram: { fake: { account: fake.account, env: fake.env }, extra: { allow: [42] } } },
  });
  const gateway = stage.start(["gateway"]);
  fake.send({ text: "how are you?" });
  await fake.history.until(() => fake.history.said("42").length === 1);
  const id = /agent chat replay (\S+)/.exec(fake.history.said("42")[0] ?? "")?.[1] ?? "";
  const listed = new RegExp(`^${id}  failed .* Ann \\(42\\): how are you\\? \\(.*being repaired`);
  // It is noted when it was told.
  await expect.poll(async () => (await stage.ask(["chat", "failed"])).stdout).toMatch(listed);
  isBroken = false;
  expect((await stage.ask(["chat", "replay", id])).stdout).toBe(
    `${id} is answered once more by the gateway.\n`,
  );
  await fake.history.until(() => fake.history.said("42").includes("All is well."));
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
  expect((await stage.ask(["chat", "failed"])).stdout).toBe("There are none.\n");
  const again = await stage.ask(["chat", "replay", id]);
  expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(/as soon as telegram is connected/)]);
  expect(await stage.ask(["chat", "replay", "telegram-nothing"])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("There is no message telegram-nothing"),
  });
});
