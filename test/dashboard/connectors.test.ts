import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAKE_TOKEN, FakeTelegram } from "../chat/telegram/fake-telegram.ts";
import { writingModel } from "../chat/kit/writing-model.ts";
import { CommandStage } from "../kit/command.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { operatorAt, type Visitor } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

const PATIENCE = { timeout: 100_000 };

interface Row {
  readonly platform: string;
  readonly state: string;
  readonly enabled: boolean;
  readonly ready: boolean;
}

async function rowOf(operator: Visitor, platform: string): Promise<Row | undefined> {
  const { data } = (await (await operator.get("/connectors")).json()) as { readonly data: readonly Row[] };
  return data.find((row) => row.platform === platform);
}

async function untilState(operator: Visitor, platform: string, state: string): Promise<void> {
  await expect.poll(async () => (await rowOf(operator, platform))?.state, PATIENCE).toBe(state);
}

test("a platform is set up, and switched off and on while the process runs; nothing that was said is lost", async () => {
  await using fake = await FakeTelegram.start();
  await using model = await writingModel();
  await using stage = new CommandStage();
  stage.configure(
    `model: {provider: local, base_url: "${model.baseUrl}", default: m}\nplatforms: {telegram: {extra: {allow: ['*']}}}\n`,
  );
  const operator = await operatorAt(await startDashboard(stage));
  expect(await rowOf(operator, "telegram")).toMatchObject({ state: "disabled", ready: false });
  const setUp = (secrets: unknown, more: object = {}) =>
    operator.post("/connectors/telegram/setup", { secrets, base_url: fake.url, ...more });
  for (const variable of ["PATH", "NODE_OPTIONS", "SLACK_TOKEN", "telegram_token", "TELEGRAM_TOKEN\nPATH"])
    expect([variable, (await setUp({ TELEGRAM_TOKEN: FAKE_TOKEN, [variable]: "/tmp" })).status]).toEqual([
      variable,
      400,
    ]);
  for (const [secrets, more] of [
    [{}, {}],
    [{ TELEGRAM_TOKEN: "a\nNODE_OPTIONS=--require=/tmp/x.js" }, {}],
    [{ TELEGRAM_TOKEN: FAKE_TOKEN }, { base_url: "file:///etc/passwd" }],
    [{ TELEGRAM_TOKEN: ["x"] }, {}],
    [JSON.parse('{"__proto__": {"TELEGRAM_TOKEN": "x"}}'), {}],
  ] as const)
    expect((await setUp(secrets, more)).status).toBe(400);
  expect(await (await setUp({ TELEGRAM_TOKEN: "1:wrong" })).json()).toMatchObject({
    saved: false,
    fault: expect.not.stringContaining("1:wrong"),
  });
  expect(existsSync(join(stage.home, ".env"))).toBe(false);
  expect(await (await setUp({ TELEGRAM_TOKEN: FAKE_TOKEN })).json()).toEqual({
    saved: true,
    bot: "@agent_bot",
  });
  expect(readFileSync(join(stage.home, ".env"), "utf8")).toBe(`TELEGRAM_TOKEN=${FAKE_TOKEN}\n`);
  await untilState(operator, "telegram", "connected");
  const answered = (words: string): Promise<void> =>
    fake.history.until(() => fake.history.said("7").some((text) => text.includes(words)));
  fake.say(7, "good morning");
  await answered("good morning");

  expect((await operator.post("/connectors/telegram/test", { chat: "9" })).status).toBe(200);
  expect(fake.history.said("9")).toEqual([expect.stringContaining("test message")]);
  expect((await operator.post("/connectors/telegram/test")).status).toBe(400);
  expect((await operator.post("/connectors/slack/test", { chat: "9" })).status).toBe(400);
  const { data } = (await (await operator.get("/connectors/traffic")).json()) as {
    readonly data: readonly {
      readonly platform: string;
      readonly in: readonly number[];
      readonly out: readonly number[];
    }[];
  };
  const sum = (hours: readonly number[] = []): number => hours.reduce((all, each) => all + each, 0);
  expect([data[0]?.platform, sum(data[0]?.in), sum(data[0]?.out) > 0]).toEqual(["telegram", 1, true]);

  // From another process, as a person at a terminal would.
  expect((await stage.run(["connectors", "off", "telegram"])).code).toBe(0);
  await untilState(operator, "telegram", "disabled");
  fake.say(7, "is anybody there?");
  expect((await operator.post("/connectors/telegram/switch", { enabled: true })).status).toBe(200);
  await answered("is anybody there?");
  await untilState(operator, "telegram", "connected");
  expect((await operator.post("/connectors/api_server/switch", { enabled: "yes" })).status).toBe(400);
  expect((await operator.post("/connectors/dashboard/switch", { enabled: false })).status).toBe(404);
  expect((await operator.post("/connectors/..%2Fx/switch", { enabled: false })).status).toBe(404);

  const audit = await (await operator.get("/audit")).text();
  expect(audit).not.toContain(FAKE_TOKEN);
  expect(audit).toContain('"variables":["TELEGRAM_TOKEN"]');
  expect(audit).toContain('"action":"connector.switched"');
  const shown = await (await operator.get("/connectors/telegram/setup")).text();
  expect(shown).toContain('"known":true');
  // What is configured counts when it is set up again.
  expect(shown).toContain(`"value":"${fake.url}"`);
  const elsewhere = { base_url: `${fake.url}/elsewhere` };
  expect((await operator.post("/connectors/telegram/setup", elsewhere)).status).toBe(400);
  const again = await operator.post("/connectors/telegram/setup", {});
  expect(await again.json()).toEqual({ saved: true, bot: "@agent_bot" });
  expect(shown).not.toContain(FAKE_TOKEN);
});

test("what was being answered when its platform was switched off is answered once it is on again", async () => {
  await using fake = await FakeTelegram.start();
  await using model = await writingModel();
  await using stage = new CommandStage();
  stage.trust();
  stage.configure(
    `model: {provider: local, base_url: "${model.baseUrl}", default: m}
approvals: {mode: manual}
platforms: {telegram: {enabled: true, base_url: "${fake.url}", extra: {allow: ["*"], approvers: ["7"], toolsets: [files], workspace: "${stage.workspace}"}}}
`,
  );
  Object.assign(stage.env, fake.env);
  const operator = await operatorAt(await startDashboard(stage));
  fake.say(7, "write one.txt");
  const said = (words: RegExp): Promise<void> =>
    fake.history.until(() => fake.history.said("7").some((text) => words.test(text)));
  await said(/one\.txt/);
  await operator.post("/connectors/telegram/switch", { enabled: false });
  await untilState(operator, "telegram", "disabled");
  await operator.post("/connectors/telegram/switch", { enabled: true });
  await untilState(operator, "telegram", "connected");
  fake.press("Allow once", { user: 7, chat: 7 });
  await said(/It says:/);
  expect(existsSync(join(stage.workspace, "one.txt"))).toBe(true);
});

test("a gateway starts and stops its servers as the settings say, and says what keeps one from starting", async () => {
  await using stage = new CommandStage();
  stage.env["DASHBOARD_ENABLED"] = "true";
  stage.env["DASHBOARD_PORT"] = "0";
  stage.env["API_SERVER_PORT"] = "0";
  const gateway = stage.start(["gateway"]);
  await new Promise<void>((resolve) =>
    gateway.child.stderr.on("data", (text: string) => {
      if (text.includes("dashboard on")) resolve();
    }),
  );
  const operator = await operatorAt((await stage.run(["dashboard", "--print-only"])).stdout.trim());
  expect(await rowOf(operator, "dashboard")).toMatchObject({ state: "connected", fixed: expect.any(String) });
  await operator.post("/connectors/api_server/switch", { enabled: true });
  expect(await rowOf(operator, "api_server")).toMatchObject({
    state: "off",
    enabled: true,
    reason: expect.stringContaining("API_SERVER_KEY"),
  });
  stage.write(".env", "API_SERVER_KEY=0c1f2e3d4b5a69788796a5b4c3d2e1f0\n");
  await untilState(operator, "api_server", "connected");
  expect((await stage.run(["connectors", "off", "api_server"])).stdout).toContain("is off");
  await untilState(operator, "api_server", "disabled");
  stage.env["API_SERVER_ENABLED"] = "true";
  expect((await stage.run(["connectors", "off", "api_server"])).stderr).toContain(
    "API_SERVER_ENABLED decides",
  );
  gateway.child.kill("SIGTERM");
  expect((await gateway.end).code).toBe(0);
});

test.skipIf(noBrowser)("the wizard says where to get a key, tries it, and never shows it again", async () => {
  await using fake = await FakeTelegram.start();
  await using stage = new CommandStage();
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  await page.getByRole("link", { name: "Connectors" }).click();
  await page.getByText("No chat platform is on yet").waitFor();
  await page.getByLabel("Filter connectors").fill("gram");
  await page.getByRole("link", { name: "Set up Telegram" }).click();
  await page.getByText("@BotFather").waitFor();
  await page.getByLabel("TELEGRAM_TOKEN").fill("1:wrong");
  await page.getByLabel("Address").fill(fake.url);
  await page.keyboard.press("Enter");
  await page.getByText("Nothing was saved.").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByLabel("TELEGRAM_TOKEN").fill(FAKE_TOKEN);
  await page.keyboard.press("Enter");
  await page.getByText("the bot is @agent_bot").waitFor();
  await page.getByRole("region", { name: "State" }).getByText("Connected").waitFor();
  expect(await page.getByLabel("TELEGRAM_TOKEN").inputValue()).toBe("");
  expect(await page.content()).not.toContain(FAKE_TOKEN);
  await page.getByLabel("Chat", { exact: true }).fill("9");
  await page.getByRole("button", { name: "Send a test message" }).click();
  await page.getByText("It was sent.").waitFor();
  await page.getByRole("button", { name: "Switch off Telegram" }).click();
  await page.getByRole("region", { name: "State" }).getByText("Off").waitFor();
  await page.goBack();
  expect(await page.getByLabel("Filter connectors").inputValue()).toBe("gram");
  await page.getByRole("button", { name: "Switch on Telegram" }).click();
  await page.getByText("Connected").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(browser.faults).toEqual([]);
});
