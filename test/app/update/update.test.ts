import { expect, test } from "vitest";
import { noBrowser, openTestBrowser } from "../../dashboard/browser.ts";
import { CommandStage } from "../../kit/command.ts";
import { timesOr } from "../../kit/counts.ts";
import { endWithTest } from "../../kit/end-with-test.ts";
import { freePort } from "../../kit/free-port.ts";
import { LocalRegistry } from "./local-registry.ts";

/** A command that was installed from a registry of the test's own, and a home with a session. */
async function installedStage(registry: LocalRegistry, version: string): Promise<CommandStage> {
  const stage = new CommandStage();
  stage.program = registry.installed(version);
  stage.env["npm_config_registry"] = registry.url;
  // The same after it was started anew: its page goes on there.
  stage.env["DASHBOARD_PORT"] = String(await freePort());
  stage.configure("gateway: {drain_timeout: 1}\n");
  expect((await stage.run(["run", "kept through all updates"])).code).toBe(0);
  return stage;
}

interface Serving {
  readonly pid: number;
  readonly version: string;
  readonly ready: boolean;
}

const serving = async (stage: CommandStage): Promise<readonly Serving[]> =>
  JSON.parse((await stage.run(["gateway", "status", "--json"])).stdout) as readonly Serving[];

const versionOf = async (stage: CommandStage): Promise<string> =>
  (await stage.run(["--version"])).stdout.trim();

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Updates with the button, and waits until the page says that it is done. */
async function updateInThePage(address: string, version: string): Promise<void> {
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  await page.getByRole("link", { name: "System" }).click();
  const update = page.getByRole("region", { name: "Update" });
  await update.getByRole("button", { name: "Look for a newer version" }).click();
  await update.getByText(`${version} is there`).waitFor();
  await update.getByRole("button", { name: `Update to ${version}` }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Update" }).click();
  await update.getByRole("status").getByText("Done").waitFor();
  await update.getByText("This is the newest one").waitFor();
  expect(await update.innerText()).toMatch(new RegExp(`Installed\\s+${version}`));
}

test("a newer version takes the place of what runs, and gives it back when it is not healthy", async () => {
  await using registry = await LocalRegistry.start();
  await using stage = await installedStage(registry, "8.0.0");
  registry.publish("8.0.0");
  expect((await stage.run(["update"])).stdout).toBe("Version 8.0.0 is the newest one.\n");
  const server = stage.start(["dashboard", "--print-only"]);
  const address = await server.line((line) => line.startsWith("http"));

  registry.publish("8.1.0");
  const checked = await stage.run(["update", "--check", "--json"]);
  expect(JSON.parse(checked.stdout)).toEqual({ version: "8.0.0", newest: "8.1.0" });
  if (noBrowser) expect((await stage.run(["update"])).code).toBe(0);
  else await updateInThePage(address, "8.1.0");
  expect(await versionOf(stage)).toBe("8.1.0");
  expect(await serving(stage)).toMatchObject([{ pid: server.child.pid, version: "8.1.0", ready: true }]);
  expect((await stage.run(["backup", "list"])).stdout).toContain("before an update");

  registry.publish(
    "8.2.0",
    'if (process.argv.includes("try")) { console.error("agent: it is broken"); process.exit(1); }',
  );
  const refused = await stage.run(["update"]);
  expect([refused.code, refused.stderr.replaceAll(/\s+/g, " ")]).toEqual([
    1,
    expect.stringContaining(
      "8.2.0 is not healthy on a copy of this home, and nothing was changed: it is broken",
    ),
  ]);
  expect(await serving(stage)).toMatchObject([{ pid: server.child.pid, version: "8.1.0" }]);

  registry.publish("8.3.0", 'if (process.argv.includes("dashboard")) process.exit(3);');
  const wentBack = await stage.run(["update"]);
  expect([wentBack.code, wentBack.stderr.replaceAll(/\s+/g, " ")]).toEqual([
    1,
    expect.stringContaining("Version 8.1.0 is back in its place."),
  ]);
  expect(await versionOf(stage)).toBe("8.1.0");
  const [back] = await serving(stage);
  expect(back).toMatchObject({ version: "8.1.0", ready: true });
  let isThere = true;
  endWithTest(() => isThere && process.kill(back?.pid ?? 0, "SIGKILL"));
  expect((await stage.run(["sessions"])).stdout).toContain("kept through all updates");
  process.kill(back?.pid ?? 0, "SIGTERM");
  await expect.poll(() => isAlive(back?.pid ?? 0)).toBe(false);
  isThere = false;
  expect(await serving(stage)).toEqual([]);
});

test("an update that is killed in any step leaves a version that works, and the next one goes through", async () => {
  await using registry = await LocalRegistry.start();
  await using stage = await installedStage(registry, "8.0.0");
  registry.publish("8.1.0");
  const most = timesOr(["back-up", "install", "try", "switch", "restart"], ["install", "switch"]);
  for (const step of most) {
    const killed = stage.start(["update", "--json"]);
    await killed.line((line) => line.includes(`"step":"${step}"`)).catch(() => undefined);
    killed.child.kill("SIGKILL");
    await killed.end;
    expect(await versionOf(stage)).toMatch(/^8\.[01]\.0$/);
    expect((await stage.run(["sessions"])).stdout).toContain("kept through all updates");
  }
  registry.publish("8.2.0");
  expect((await stage.run(["update"])).code).toBe(0);
  expect(await versionOf(stage)).toBe("8.2.0");
  // Whoever installs another version over it gets that one.
  stage.program = `${registry.unpacked("8.3.0")}/bin/agent.js`;
  expect(await versionOf(stage)).toBe("8.3.0");
});
