import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FAKE_TOKEN, FakeTelegram } from "../../chat/telegram/fake-telegram.ts";
import { FakeEmail } from "../../chat/email/fake-email.ts";
import { CommandStage } from "../../kit/command.ts";
import { freePort } from "../../kit/free-port.ts";

test("a chat platform is tried before it is saved, and doctor looks at it", async () => {
  await using fake = await FakeTelegram.start();
  await using stage = new CommandStage();
  const setup = (token: string) =>
    stage.ask(["setup", "--platform", "telegram", "--base-url", fake.url, "--key-stdin"], {
      stdin: `${token}\n`,
    });
  const wrong = await setup("1:wrong");
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining("the token is not valid")]);
  expect(wrong.stderr).not.toContain("1:wrong");
  const right = await setup(FAKE_TOKEN);
  expect([right.code, right.stderr]).toEqual([0, expect.stringContaining("the bot is @agent_bot")]);
  expect(readFileSync(join(stage.home, ".env"), "utf8")).toContain(`TELEGRAM_TOKEN=${FAKE_TOKEN}`);
  const doctor = await stage.ask(["doctor"]);
  expect(doctor.stdout).toMatch(/ok\s+telegram\s+@agent_bot; nobody is allowed/);
  const { stdout } = await stage.ask(["connectors", "--json"]);
  expect(JSON.parse(stdout)).toContainEqual(expect.objectContaining({ platform: "telegram", state: "off" }));
});

test("without a terminal, and for a platform that is not there, setup says what to do", async () => {
  await using stage = new CommandStage();
  expect((await stage.ask(["setup", "--platform", "telegram"])).stderr).toContain("TELEGRAM_TOKEN");
  expect((await stage.ask(["setup", "--platform", "telegrm"])).stderr).toContain("Did you mean telegram?");
});

test("doctor does not promise a platform that stays off, and says which only sends", async () => {
  await using fake = await FakeEmail.start();
  await using stage = new CommandStage();
  const { extra: _extra, ...email } = fake.block;
  const mattermost = { enabled: true, base_url: "https://chat.example.org" };
  stage.configure(`platforms: ${JSON.stringify({ mattermost, email: { enabled: true, ...email } })}\n`);
  Object.assign(stage.env, fake.env);
  const { stdout } = await stage.ask(["doctor"]);
  expect(stdout).toMatch(/gateway\s+would serve nothing, not Mattermost, E-mail;/);
  expect(stdout).toMatch(/mattermost\s+MATTERMOST_TOKEN is not set/);
  expect(stdout).toMatch(
    /email\s+agent@example\.org; texts only go out: platforms\.email\.extra\.imap_host is not set/,
  );
});

test("agent connectors says why a platform is off, and what went wrong last", async () => {
  await using stage = new CommandStage();
  const base_url = `http://127.0.0.1:${await freePort()}`;
  stage.configure(`platforms: ${JSON.stringify({ telegram: { enabled: true, base_url } })}\n`);
  stage.env["TELEGRAM_TOKEN"] = FAKE_TOKEN;
  const gateway = stage.start(["gateway"]);
  const listed = async (): Promise<string> => (await stage.ask(["connectors"])).stdout;
  await expect.poll(listed).toMatch(/telegram\s+retrying\s+since .* last error at /);
  gateway.child.kill("SIGKILL");
  await gateway.end;
  expect(await listed()).toMatch(
    /telegram\s+off\s+since .*  No gateway runs\.  last error at .*: .*127\.0\.0\.1/,
  );
});
