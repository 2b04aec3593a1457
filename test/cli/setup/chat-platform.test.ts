import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAKE_TOKEN, FakeTelegram } from "../../chat/telegram/fake-telegram.ts";
import { CommandStage } from "../../kit/command.ts";

test("a chat platform is tried before it is saved, and doctor looks at it", async () => {
  await using fake = await FakeTelegram.start();
  await using stage = new CommandStage();
  const setup = (token: string) =>
    stage.run(["setup", "--platform", "telegram", "--base-url", fake.url, "--key-stdin"], {
      stdin: `${token}\n`,
    });
  const wrong = await setup("1:wrong");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("the token is not valid")]);
  expect(wrong.stderr).not.toContain("1:wrong");
  const right = await setup(FAKE_TOKEN);
  expect([right.code, right.stderr]).toEqual([0, expect.stringContaining("the bot is @agent_bot")]);
  expect(readFileSync(join(stage.home, ".env"), "utf8")).toContain(`TELEGRAM_TOKEN=${FAKE_TOKEN}`);
  const doctor = await stage.run(["doctor"]);
  expect(doctor.stdout).toMatch(/ok\s+telegram\s+@agent_bot; nobody is allowed/);
  const { stdout } = await stage.run(["connectors", "--json"]);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ platform: "telegram", state: "off" }));
});

test("without a terminal, and for a platform that is not there, setup says what to do", async () => {
  await using stage = new CommandStage();
  expect((await stage.run(["setup", "--platform", "telegram"])).stderr).toContain("TELEGRAM_TOKEN");
  expect((await stage.run(["setup", "--platform", "telegrm"])).stderr).toContain("Did you mean telegram?");
});
