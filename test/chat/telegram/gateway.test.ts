import { expect, test } from "vitest";
import { GatewayClient, webSocket } from "../../../src/rpc/client/index.ts";
import { CommandStage } from "../../kit/command.ts";
import { GATEWAY_KEY, startGateway } from "../../kit/gateway-command.ts";
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

/** A list that has such a platform, among others. */
const listed = (platform: object): unknown => expect.arrayContaining([expect.objectContaining(platform)]);

test("the API and the gateway tell which chat platforms are on", async () => {
  await using fake = await FakeTelegram.start();
  await using stage = new CommandStage();
  stage.configure(`platforms: {telegram: {enabled: true, base_url: "${fake.url}"}}\n`);
  stage.env["TELEGRAM_TOKEN"] = FAKE_TOKEN;
  const { command, url } = await startGateway(stage);
  const headers = { authorization: `Bearer ${GATEWAY_KEY}` };
  await fake.history.until(() => fake.calls.includes("getUpdates"));
  const list = async (): Promise<unknown> => (await fetch(`${url}/api/connectors`, { headers })).json();
  await expect
    .poll(list)
    .toMatchObject({ data: listed({ platform: "telegram", state: "connected", bot: "@agent_bot" }) });
  const connect = webSocket(`${url.replace("http", "ws")}/api/ws`, { token: GATEWAY_KEY });
  const client = new GatewayClient({ connect });
  expect(await client.request("connectors.list", {})).toMatchObject({
    connectors: listed({ platform: "telegram", state: "connected" }),
  });
  await client.close();
  command.child.kill("SIGTERM");
  expect((await command.end).code).toBe(0);
});
