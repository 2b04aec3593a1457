import { expect, test } from "vitest";
import { CommandStage } from "../../kit/command.ts";
import { freePort } from "../../kit/free-port.ts";
import { FAKE_NUMBER } from "./fake-graph.ts";
import { FAKE_APP, FakeWhatsapp } from "./fake-whatsapp.ts";

/** A line that a gateway says. */
async function said(gateway: ReturnType<CommandStage["start"]>, words: string): Promise<void> {
  await new Promise<void>((resolve) => {
    let all = "";
    gateway.child.stderr.on("data", (text: string) => {
      all += text;
      if (all.includes(words)) resolve();
    });
  });
}

test("setup tries the number, doctor and the gateway say what is missing, and then it answers by webhook", async () => {
  await using fake = await FakeWhatsapp.start();
  await using stage = new CommandStage();
  const setup = (...more: string[]) =>
    stage.run(
      ["setup", "--platform", "whatsapp", "--base-url", fake.account.baseUrl, "--key-stdin", ...more],
      {
        stdin: `${FAKE_APP.token}\n${FAKE_APP.appSecret}\n${FAKE_APP.verifyToken}\n`,
      },
    );
  expect((await setup()).stderr).toContain("Say --from <id> too: it is the Phone number ID");
  const right = await setup("--from", FAKE_NUMBER);
  expect([right.code, right.stderr]).toEqual([
    0,
    expect.stringContaining("the bot is Agent +1 555-078-3881"),
  ]);
  expect((await stage.ask(["doctor"])).stdout).toMatch(
    /whatsapp\s+it posts to \/webhooks\/whatsapp.*WEBHOOK_ENABLED/,
  );
  stage.configure(
    `platforms: {whatsapp: {enabled: true, base_url: "${fake.account.baseUrl}", from: ${FAKE_NUMBER}, extra: {allow: [1]}}}\n`,
  );
  const port = await freePort();
  Object.assign(stage.env, { ...fake.env, WEBHOOK_ENABLED: "true", WEBHOOK_PORT: String(port) });
  const gateway = stage.start(["gateway"]);
  const url = `http://127.0.0.1:${port}/webhooks/whatsapp`;
  fake.postTo(async ({ headers, body }) => {
    const { status } = await fetch(url, { method: "POST", headers, body: Buffer.from(body) });
    return { status };
  });
  fake.send({ text: "count to 3" });
  await fake.history.until(() => fake.history.said("1").some((text) => text.includes("1 2 3")));
  const query = new URLSearchParams({
    "hub.mode": "subscribe",
    "hub.verify_token": FAKE_APP.verifyToken,
    "hub.challenge": "77",
  });
  const challenged = await fetch(`${url}?${query.toString()}`);
  expect(await challenged.text()).toBe("77");
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test("with a token alone texts go out, and the gateway says what receiving needs", async () => {
  await using stage = new CommandStage();
  stage.configure("platforms: {whatsapp: {enabled: true, from: '1', base_url: 'http://127.0.0.1:1'}}\n");
  stage.env["WHATSAPP_TOKEN"] = FAKE_APP.token;
  const gateway = stage.start(["gateway"]);
  await said(gateway, "stays off: WHATSAPP_APP_SECRET is not set");
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test("without the id of its number the gateway does not start, and says where to find it", async () => {
  await using stage = new CommandStage();
  stage.configure("platforms: {whatsapp: {enabled: true}}\n");
  stage.env["WHATSAPP_TOKEN"] = FAKE_APP.token;
  const { code, stderr } = await stage.ask(["gateway"]);
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining("platforms.whatsapp.from is missing: it is the Phone number ID"),
  ]);
});
