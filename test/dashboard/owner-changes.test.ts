import { join } from "node:path";
import { mkdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

test.skipIf(noBrowser)("rules are removed, skills switched, and the default model is changed", async () => {
  await using stage = new CommandStage();
  stage.configure(`model: {provider: local, base_url: "http://127.0.0.1:9/v1", default: m, providers: {other: {base_url: "http://127.0.0.1:9/v1", default: n}}}
approvals: {allowed: ["git status", "npm test"], denied: ["git push *"]}
`);
  mkdirSync(join(stage.home, "skills", "notes"), { recursive: true });
  stage.write("skills/notes/SKILL.md", "---\nname: notes\ndescription: Takes notes\n---\nBe brief.\n");
  const config = (): string => readFileSync(join(stage.home, "config.yaml"), "utf8");
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  await page.getByRole("link", { name: "Approvals" }).click();
  await page.getByRole("button", { name: "Remove git status" }).click();
  await page.getByRole("button", { name: "Remove git status" }).waitFor({ state: "detached" });
  expect(await barriersOf(page)).toEqual([]);
  expect([config().includes("git status"), config().includes("npm test")]).toEqual([false, true]);
  await page.getByRole("link", { name: "Skills" }).click();
  await page.getByRole("button", { name: "Switch off notes" }).click();
  await page.getByRole("button", { name: "Switch on notes" }).waitFor();
  expect(config()).toMatch(/disabled/);

  const operator = await operatorAt((await stage.run(["dashboard", "--print-only"])).stdout.trim());
  expect((await operator.post("/models/default", { provider: "other", model: "n" })).status).toBe(200);
  expect((await stage.run(["model", "--json"])).stdout).toMatch(/"provider":\s*"other"/);
  expect((await operator.post("/models/default", { provider: "nobody", model: "n" })).status).toBeLessThan(
    500,
  );
  // A number is no rule: the list may have changed since it was read.
  expect((await operator.post("/approvals/rules/remove", { rule: "1" })).status).toBe(404);
  expect((await operator.post("/skills/nothing/switch", { enabled: true })).status).toBe(404);
  expect((await operator.post("/pairing/decide", { code: "ABCDEFGH", let_in: false })).status).toBe(404);
  expect((await operator.post("/pairing/let-out", { platform: "telegram", person_id: "7" })).status).toBe(
    404,
  );
  const audit = await (await operator.get("/audit")).text();
  for (const action of ["approval.removed", "skill.switched", "model.default-changed"])
    expect(audit).toContain(`"action":"${action}"`);
  expect(browser.faults).toEqual([]);
});
