import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { FAKE_TOKEN, FakeTelegram } from "./fake-telegram.ts";

test("agent gateway runs Telegram alone, and answers there", async () => {
  await using fake = await FakeTelegram.start();
  await using stage = new CommandStage();
  stage.configure(`platforms: {telegram: {enabled: true, base_url: "${fake.url}", extra: {allow: [42]}}}\n`);
  stage.env["TELEGRAM_TOKEN"] = FAKE_TOKEN;
  const gateway = stage.start(["gateway"]);
  fake.send({ text: "count to 3" });
  await fake.history.until(() => fake.history.said("42").some((text) => text.includes("1 2 3")));
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test("without its token Telegram stays off, and the gateway says why", async () => {
  await using stage = new CommandStage();
  stage.configure("platforms: {telegram: {enabled: true}}\n");
  const gateway = stage.start(["gateway"]);
  await new Promise<void>((resolve) => {
    let said = "";
    gateway.child.stderr.on("data", (text: string) => {
      said += text;
      if (said.includes("stays off: TELEGRAM_TOKEN is not set")) resolve();
    });
  });
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});
