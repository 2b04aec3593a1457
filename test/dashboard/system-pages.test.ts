import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { freePort } from "../kit/free-port.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

const PATIENCE = { timeout: 100_000 };

/** A line of a log as a server writes it. */
const line = (level: string, message: string): string =>
  `${JSON.stringify({ at: "2026-11-23T08:00:00.000Z", pid: 7, event: "test.line", level, message })}\n`;

test.skipIf(noBrowser)("the page says how the program is, what it keeps, and follows its log", async () => {
  await using stage = new CommandStage();
  stage.write(".env", "OPENAI_API_KEY=sk-secret-of-the-owner\n");
  mkdirSync(join(stage.home, "logs"));
  const log = join(stage.home, "logs", "server.log");
  writeFileSync(log, line("info", "the first <b>line</b>") + line("error", "a key: sk-secret-of-the-owner"));
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  await page.getByRole("link", { name: "System" }).click();
  const health = page.getByRole("region", { name: "Health", exact: true }).first();
  await health.getByText("Sessions are read and written.").waitFor();
  await page.getByRole("region", { name: "Disk", exact: true }).getByText("Database").first().waitFor();
  await page.getByRole("region", { name: "Update", exact: true }).getByText("agent backup make").waitFor();
  const lines = page.getByRole("log");
  await lines.getByText("the first <b>line</b>").waitFor();
  await lines.getByText("a key: [redacted]").waitFor();
  expect(await lines.innerText()).not.toContain("sk-secret");
  appendFileSync(log, line("warn", "it came while one looked"));
  await lines.getByText("it came while one looked").waitFor();

  await page.getByLabel("Level").selectOption("error");
  await lines.getByText("it came while one looked").waitFor({ state: "detached" });
  await lines.getByText("a key: [redacted]").waitFor();
  await page.getByLabel("Search the log").fill("nobody wrote this");
  await page.getByText("No line is like that").waitFor();
  expect(new URL(page.url()).search).toBe("?q=nobody+wrote+this&state=error");
  await page.getByLabel("Search the log").fill("");
  await page.getByLabel("Level").selectOption("");

  await page.getByRole("button", { name: "Pause" }).click();
  appendFileSync(log, line("info", "while it was paused"));
  await page.getByRole("button", { name: "Follow" }).click();
  await lines.getByText("while it was paused").waitFor();
  expect(await lines.getByText("it came while one looked").count()).toBe(1);

  await page.getByText("No backup yet").waitFor();
  await page.getByRole("button", { name: "Back up now" }).click();
  const backups = page.getByRole("region", { name: "Backups", exact: true }).first();
  await backups.getByText("Somebody asked").waitFor();
  await backups.getByText(join(stage.home, "backups")).waitFor();
  await backups.getByRole("button", { name: /^Delete the backup/ }).click();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No backup yet").waitFor();

  await page.getByRole("button", { name: "Check everything" }).click();
  await health.getByText("the built-in demo model answers").waitFor();
  expect(await barriersOf(page)).toEqual([]);
  expect(browser.faults).toEqual([]);
});

test.skipIf(noBrowser)(
  "a restart is the same process, started anew; the page finds it, and nobody is signed out",
  async () => {
    await using stage = new CommandStage();
    stage.env["DASHBOARD_PORT"] = String(await freePort());
    const command = stage.start(["dashboard", "--print-only"]);
    await using browser = await openTestBrowser();
    const page = await browser.open(await command.line((each) => each.startsWith("http")));
    await page.getByRole("link", { name: "System" }).click();
    const signedIn = page.getByText("This one");
    await signedIn.waitFor();
    await page.getByRole("button", { name: "Restart" }).click();
    await page.getByRole("alertdialog").getByText("No turn runs here now.").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("alertdialog").getByRole("button", { name: "Restart" }).click();
    await page.getByText("This page waits for it.").waitFor();
    await page.getByText("This page waits for it.").waitFor({ state: "detached" });
    await signedIn.waitFor();
    await page.getByText("It ended as it was told to.").waitFor();
    await page.getByText("system.restarted").waitFor();
    expect(command.child.exitCode).toBe(null);
    expect(await page.getByText(`${command.child.pid}, Node`).count()).toBe(1);
  },
);

test("a line of a log is told once, wherever it is put aside meanwhile, and secrets of it never", async () => {
  await using stage = new CommandStage();
  const operator = await operatorAt(await startDashboard(stage));
  const logs = join(stage.home, "logs");
  const read = async (query: string) =>
    (await (await operator.get(`/logs?${query}`)).json()) as {
      readonly data: readonly { readonly message: string }[];
      readonly next: string;
    };
  await expect.poll(async () => (await read("q=server.ready")).data.length, PATIENCE).toBe(1);
  const file = join(logs, "agent.log");
  expect(await read("log=failures")).toEqual({ data: [], next: "0-0" });
  const messages = (from: number, count: number): string =>
    Array.from({ length: count }, (_, index) => line("error", `failure ${from + index}`)).join("");
  writeFileSync(file, messages(0, 3000));
  const newest = await read("log=failures&limit=2");
  expect(newest.data.map(({ message }) => message)).toEqual(["failure 2998", "failure 2999"]);
  expect((await read("log=failures&limit=500&q=failure%201&level=error")).data).toHaveLength(500);
  expect((await read("log=failures&q=FAILURE%202999")).data).toHaveLength(1);
  // Half a line is no line yet.
  appendFileSync(file, messages(3000, 1) + line("error", "half").slice(0, 20));
  const more = await read(`log=failures&after=${newest.next}`);
  expect(more.data.map(({ message }) => message)).toEqual(["failure 3000"]);
  appendFileSync(file, line("error", "half").slice(20));
  renameSync(file, `${file}.old`);
  writeFileSync(file, messages(4000, 2));
  const rest = await read(`log=failures&after=${more.next}`);
  expect(rest.data.map(({ message }) => message)).toEqual(["half"]);
  const last = await read(`log=failures&after=${rest.next}`);
  expect(last.data.map(({ message }) => message)).toEqual(["failure 4000", "failure 4001"]);
  expect((await read(`log=failures&after=${last.next}`)).data).toEqual([]);
  for (const query of ["level=loud", "limit=0", "log=../../x", `q=${"x".repeat(501)}`])
    expect((await operator.get(`/logs?${query}`)).status).toBe(400);
  for (const after of ["", "x", "1-", "-1--1", "9-9999999999999999"])
    expect((await operator.get(`/logs?after=${after}`)).status).toBe(200);
});
