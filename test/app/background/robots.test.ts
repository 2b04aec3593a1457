import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { senderTable, targetTable } from "../../../src/app/background/senders.ts";
import { configuredChats } from "../../../src/app/chat/chat-account.ts";
import type { Agent } from "../../../src/app/compose.ts";
import { loadSettings } from "../../../src/app/config/settings.ts";
import type { Sender } from "../../../src/automation/delivery/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";

const homes: string[] = [];
afterEach(() => homes.splice(0).forEach((home) => rmSync(home, { recursive: true })));

const settingsOf = async (block: object, env: Readonly<Record<string, string>> = {}, name = "feishu") => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agent-test-")));
  homes.push(home);
  writeFileSync(
    join(home, "config.yaml"),
    `platforms: ${JSON.stringify({ [name]: { enabled: true, ...block } })}\n`,
  );
  return await loadSettings({ AGENT_HOME: home, ...env }, home);
};

/** Platforms whose robots of one group need a token alone, and what their apps need. */
const PLATFORMS = [
  ["feishu", { FEISHU_APP_SECRET: "s" }, { from: "cli_1" }],
  ["dingtalk", { DINGTALK_CLIENT_SECRET: "s" }, { from: "ding1" }],
  ["wecom", { WECOM_SECRET: "s" }, { from: "aib1" }],
] as const;

test.each(PLATFORMS)(
  "a robot of %s with its token alone is no chat platform, and belongs to one group",
  async (name) => {
    const token = `${name.toUpperCase()}_TOKEN`;
    for (const settings of [
      await settingsOf({ token: "t" }, {}, name),
      await settingsOf({}, { [token]: "t" }, name),
    ]) {
      expect(configuredChats(settings)).toEqual([]);
      const { kinds, homes: places } = targetTable(settings);
      expect(kinds.get(name)).toEqual({ chat: "none", threads: false, needs: [] });
      expect(places()).toHaveLength(1);
    }
    const withHome = await settingsOf({ token: "t", home_channel: "c" }, {}, name);
    expect(() => targetTable(withHome)).toThrow("home_channel");
  },
);

test.each(PLATFORMS)(
  "an app of %s is a chat platform; without its secrets it is off, and says why",
  async (name, env, block) => {
    const app = await settingsOf(block, env, name);
    expect(configuredChats(app)).toMatchObject([{ platform: { name }, account: { secrets: {}, ...block } }]);
    expect(targetTable(app).kinds.get(name)?.chat).toBe("named");
    const bare = await settingsOf(block, {}, name);
    const [variable = ""] = Object.keys(env);
    expect(configuredChats(bare)).toMatchObject([
      { account: { missing: expect.stringContaining(variable) } },
    ]);
    expect(() => targetTable(bare)).not.toThrow();
  },
);

test("with an app and a robot, a text that names no chat goes to the robot's group unless there is a home", async () => {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(request.url ?? "");
    request.resume().once("end", () => response.end('{"code":0}'));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const base_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const toApp: unknown[] = [];
  const app: Sender = { retryMs: [], send: ({ target }) => Promise.resolve(void toApp.push(target.chatId)) };
  const tableOf = async (block: object) => {
    const settings = await settingsOf(
      { base_url, from: "cli_1", token: "T0K", ...block },
      { FEISHU_APP_SECRET: "s" },
    );
    // What senders need of an agent.
    const agent = {
      settings,
      live: { current: settings },
      host: { services: { clock: systemClock } },
    } as unknown as Agent;
    return senderTable(agent, { log: undefined, chat: { senders: new Map([["feishu", app]]) } });
  };
  const { signal } = new AbortController();
  const delivery = {
    id: "d",
    text: "Hi",
    source: { kind: "job", id: "j" },
    status: "pending",
    attempts: 1,
    createdAt: 0,
  } as const;
  const { sender, kinds, homes: places } = await tableOf({});
  expect(kinds.get("feishu")).toEqual({ chat: "home", threads: true, needs: [] });
  expect(places()).toEqual(["messenger_10"]);
  await sender("feishu")?.send({ ...delivery, target: { kind: "feishu" } }, signal);
  await sender("feishu")?.send({ ...delivery, target: { kind: "feishu", chatId: "oc_1" } }, signal);
  expect(seen).toEqual(["/open-apis/bot/v2/hook/T0K"]);
  expect(toApp).toEqual(["oc_1"]);
  const home = await tableOf({ home_channel: "oc_2" });
  await home.sender("feishu")?.send({ ...delivery, target: { kind: "feishu" } }, signal);
  expect(seen).toHaveLength(1);
  expect(home.homes()).toEqual(["messenger_10"]);
  server.close();
});
