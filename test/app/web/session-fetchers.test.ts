import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LiveSettings } from "../../../src/app/config/live-settings.ts";
import { loadSettings } from "../../../src/app/config/settings.ts";
import { sessionFetchers } from "../../../src/app/web/fetchers.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
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
      .fetch({ url: `http://${place}/`, maxBytes: 1000, timeoutMs: 20_000 })
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
