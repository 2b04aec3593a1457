import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { FAKE_TOKEN, FakeMattermost } from "./fake-mattermost.ts";

test("agent gateway runs Mattermost alone, and answers there", async () => {
  await using fake = await FakeMattermost.start();
  await using stage = new CommandStage();
  stage.configure(
    `platforms: {mattermost: {enabled: true, base_url: "${fake.url}", extra: {allow: ["ann-id"]}}}\n`,
  );
  stage.env["MATTERMOST_TOKEN"] = FAKE_TOKEN;
  const gateway = stage.start(["gateway"]);
  fake.send({ text: "count to 3" });
  await fake.history.until(() => fake.history.said("dm-ann").some((text) => text.includes("1 2 3")));
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test("without its token Mattermost stays off, and the gateway says why", async () => {
  await using stage = new CommandStage();
  stage.configure("platforms: {mattermost: {enabled: true, base_url: 'http://127.0.0.1:1'}}\n");
  const gateway = stage.start(["gateway"]);
  await new Promise<void>((resolve) => {
    let said = "";
    gateway.child.stderr.on("data", (text: string) => {
      said += text;
      if (said.includes("stays off: MATTERMOST_TOKEN is not set")) resolve();
    });
  });
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});
