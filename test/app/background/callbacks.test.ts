import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { senderTable } from "../../../src/app/background/senders.ts";
import type { Agent } from "../../../src/app/compose.ts";
import { loadSettings } from "../../../src/app/config/settings.ts";
import { CALLBACK_TARGET } from "../../../src/automation/webhook/index.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { startProxy } from "../../kit/proxy.ts";

test("behind a proxy, no callback goes to a name that only the proxy can look up, nor to where clouds keep their keys", async () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "agent-test-")));
  await using proxy = await startProxy();
  writeFileSync(join(home, "config.yaml"), "platforms: {webhook: {enabled: true}}\n");
  const environment = {
    AGENT_HOME: home,
    HTTP_PROXY: proxy.url,
    HTTPS_PROXY: proxy.url,
    NO_PROXY: "",
    WEBHOOK_SECRET: "0c1f2e3d4b5a69788796a5b4c3d2e1f0",
  };
  const settings = await loadSettings(environment, home);
  // What callbacks need of an agent.
  const agent = {
    settings,
    live: { current: settings },
    host: { services: { clock: systemClock } },
  } as unknown as Agent;
  const sender = senderTable(agent, { log: undefined, chat: { senders: new Map() } }).sender(CALLBACK_TARGET);
  const { signal } = new AbortController();
  for (const url of [
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://nowhere.invalid-name.test/",
    "https://nowhere.invalid-name.test/",
    "http://169.254.169.254/latest/",
  ]) {
    const delivery = {
      id: "d",
      target: { kind: CALLBACK_TARGET },
      text: "{}",
      extra: { url, deliveryId: "x" },
      source: { kind: "webhook", id: "r" },
      status: "pending",
      attempts: 1,
      createdAt: 0,
    } as const;
    await expect(sender?.send(delivery, signal), url).rejects.toMatchObject({ code: "fetch_refused" });
  }
  expect(proxy.asked).toEqual([]);
  rmSync(home, { recursive: true });
});
