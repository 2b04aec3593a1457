import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveSettings } from "../../../src/app/config/live-settings.ts";
import { loadSettings } from "../../../src/app/config/settings.ts";
import { sessionFetchers } from "../../../src/app/web/fetchers.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { HostError } from "../../../src/shared/errors/host-error.ts";
import type { ToolSession } from "../../../src/core/index.ts";
import { startProxy } from "../../kit/proxy.ts";
import { site } from "../../kit/site.ts";

test("what the owner allows is read in the owner's sessions from now on, and never for a webhook's sender", async () => {
  const home = mkdtempSync(join(tmpdir(), "agent-test-"));
  await using wiki = await site((_request, response) => response.end("internal"));
  const place = `127.0.0.1:${wiki.port}`;
  const environment = { AGENT_HOME: home };
  const clock = systemClock;
  const settings = await loadSettings(environment, home);
  await using live = new LiveSettings(settings, { environment, cwd: home, clock, platform: "linux" });
  const fetcherFor = sessionFetchers(live, clock);
  const reaches = async (platform: "tui" | "webhook"): Promise<boolean> =>
    await fetcherFor({ platform })
      .fetch({ url: `http://${place}/`, maxBytes: 1000, timeoutMs: 120_000 })
      .then(
        () => true,
        () => false,
      );
  expect(await reaches("tui")).toBe(false);
  writeFileSync(join(home, "config.yaml"), `web: {private_hosts: ["${place}"]}\n`);
  await live.refresh();
  expect(await reaches("tui")).toBe(true);
  expect(await reaches("webhook")).toBe(false);
  expect(wiki.requests).toHaveLength(1);
  rmSync(home, { recursive: true });
});

test("behind a proxy, names that this machine cannot look up are for what the owner starts", async () => {
  const home = mkdtempSync(join(tmpdir(), "agent-test-"));
  await using proxy = await startProxy();
  const environment = { AGENT_HOME: home, HTTP_PROXY: proxy.url, NO_PROXY: "" };
  const clock = systemClock;
  const settings = await loadSettings(environment, home);
  await using live = new LiveSettings(settings, { environment, cwd: home, clock, platform: "linux" });
  const fetcherFor = sessionFetchers(live, clock);
  const outcome = async (platform: ToolSession["platform"]): Promise<string> =>
    await fetcherFor({ platform })
      .fetch({ url: "http://nowhere.invalid-name.test/", maxBytes: 1000, timeoutMs: 120_000 })
      .then(
        () => "asked",
        (thrown: unknown) => (thrown instanceof HostError ? thrown.code : "other"),
      );
  const platforms = ["cli", "tui", "acp", "job", "library", "api_server", "webhook"] as const;
  const outcomes = await Promise.all(platforms.map(async (platform) => [platform, await outcome(platform)]));
  expect(Object.fromEntries(outcomes)).toEqual({
    cli: "asked",
    tui: "asked",
    acp: "asked",
    job: "asked",
    library: "asked",
    api_server: "fetch_refused",
    webhook: "fetch_refused",
  });
  rmSync(home, { recursive: true });
});
