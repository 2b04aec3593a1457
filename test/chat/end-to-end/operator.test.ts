import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { configureChats } from "../kit/configured-chats.ts";
import { writingModel } from "../kit/writing-model.ts";
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
  expect((await stage.run(["chat", "list"])).stdout).toMatch(/answered .* Ann \(42\): write one\.txt/);

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
  expect((await stage.run(["connectors"])).stdout).toMatch(/telegram +disabled/);
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});
