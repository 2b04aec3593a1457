import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { startDashboard } from "./start-dashboard.ts";

test.skipIf(noBrowser)(
  "with the keyboard alone a job is made and run, and its transcript opened",
  async () => {
    await using stage = new CommandStage();
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    const press = async (role: "link" | "button", name: string): Promise<void> => {
      await page.getByRole(role, { name, exact: true }).first().focus();
      await page.keyboard.press("Enter");
    };
    await press("link", "Jobs");
    await page.getByText("No job yet").waitFor();
    await press("link", "New job");
    await page.getByLabel("Schedule").fill("whenever it suits");
    await page.getByLabel("Prompt").fill("say good morning");
    await press("button", "Make the job");
    await page.getByRole("alert").first().waitFor();
    await page.getByLabel("Schedule").fill("every 5m");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "say good morning" }).waitFor();
    expect(await page.getByRole("region", { name: "Next runs" }).getByRole("listitem").count()).toBe(10);
    await press("button", "Run now");
    await page.getByRole("region", { name: "Runs", exact: true }).getByText("Done").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await press("link", "Open");
    await page.getByRole("region", { name: "Conversation" }).getByText("say good morning").first().waitFor();
    await page.goBack();
    await press("button", "Delete");
    await page.getByRole("alertdialog").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).press("Enter");
    await page.getByText("No job yet").waitFor();
    expect(browser.faults).toEqual([]);
  },
);

test.skipIf(noBrowser)("what the agent knows is found, read and forgotten", async () => {
  await using stage = new CommandStage();
  mkdirSync(join(stage.home, "memories"), { recursive: true });
  stage.write("memories/MEMORY.md", "- Deploys happen on Tuesdays\n- The office has a <b>cat</b>\n");
  mkdirSync(join(stage.home, "skills", "notes"), { recursive: true });
  stage.write("skills/notes/SKILL.md", "---\nname: notes\ndescription: Takes notes\n---\nBe **brief**.\n");
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  await page.getByRole("link", { name: "Skills" }).click();
  await page.getByRole("link", { name: "notes" }).click();
  await page.locator("strong", { hasText: "brief" }).waitFor();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("link", { name: "Memory" }).click();
  // It is text, no markup of the page.
  await page.getByText("<b>cat</b>").waitFor();
  await page.getByLabel("Filter entries").fill("tues");
  await page.getByText("<b>cat</b>").waitFor({ state: "detached" });
  expect(new URL(page.url()).search).toBe("?q=tues");
  await page.reload();
  await page.getByRole("button", { name: /^Forget: Deploys/ }).click();
  expect(await barriersOf(page)).toEqual([]);
  await page.getByRole("alertdialog").getByRole("button", { name: "Forget" }).click();
  await page.getByText("No entry has these words").waitFor();
  await page.getByLabel("Filter entries").fill("");
  await page.getByText("<b>cat</b>").waitFor();
  expect(browser.faults).toEqual([]);
});
