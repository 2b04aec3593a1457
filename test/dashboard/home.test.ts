import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { seedHome } from "./seeded-home.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

interface Usage {
  readonly total: { readonly turns: number; readonly answer_ms: { readonly median: number } };
  readonly by_person: readonly { readonly person: string }[];
  readonly complete: boolean;
}

test.skipIf(noBrowser)("home shows what was used and by whom, and repairs what is stuck", async () => {
  await using stage = new CommandStage();
  await seedHome(stage.home, Date.now());
  stage.configure("platforms: {webhook: {enabled: true, extra: {port: 0}}}\n");
  // Reads everything into the index.
  await stage.run(["stats"]);
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  const needs = page.getByRole("region", { name: "Needs somebody" });
  await needs.getByText("412000 of its 400000 tokens").waitFor();
  await needs.getByText("No gateway runs it").waitFor();
  await page.getByRole("figure", { name: "Cost by day" }).locator("canvas").waitFor();
  expect(await page.getByRole("figure").count()).toBe(4);
  await page.getByRole("table", { name: "By person, 30 days" }).getByText("ann (Telegram)").waitFor();
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await barriersOf(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  }
  await needs.getByRole("button", { name: /^Reconnect/ }).click();
  await needs.getByText("On its way").waitFor();
  await needs.getByPlaceholder("200k or $5").fill("nonsense");
  await needs.getByRole("button", { name: /^Go on/ }).click();
  await needs.getByRole("alert").waitFor();
  await needs.getByPlaceholder("200k or $5").fill("off");
  await needs.getByRole("button", { name: /^Go on/ }).click();
  await needs.getByText("412000").waitFor({ state: "detached" });
  expect(browser.faults).toEqual([]);

  const operator = await operatorAt((await stage.run(["dashboard", "--print-only"])).stdout.trim());
  const usage = (await (await operator.get("/usage?days=40")).json()) as Usage;
  expect(usage).toMatchObject({ total: { answer_ms: { median: expect.any(Number) } } });
  expect(usage.total.turns).toBeGreaterThan(90);
  expect(new Set(usage.by_person.map(({ person }) => person))).toContain("slack:U02BEN");
  const audit = await (await operator.get("/audit")).text();
  expect(audit).toContain('"action":"budget.repaired"');
  expect(audit).toContain('"action":"connector.repaired"');
  expect((await operator.post("/attention/repair", { kind: "connector", id: "nowhere" })).status).toBe(404);
  expect((await operator.post("/attention/repair", { kind: "delivery", id: "x" })).status).toBe(404);
  expect((await stage.run(["connectors", "restart", "nowhere"])).code).not.toBe(0);
});
