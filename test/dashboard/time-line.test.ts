import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writingModel } from "../chat/kit/writing-model.ts";
import { CommandStage } from "../kit/command.ts";
import { longSessionFile } from "../kit/long-session.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { startDashboard } from "./start-dashboard.ts";

async function imported(stage: CommandStage, turns: number): Promise<void> {
  const file = join(stage.folder, "long.jsonl");
  writeFileSync(file, longSessionFile(turns));
  const done = await stage.run(["sessions", "import", file, "--title", "A long one"]);
  expect(done.code, done.stderr).toBe(0);
}

/** Rows that may be in the page, however long the session is. */
const MOST_ROWS = 80;

test.skipIf(noBrowser)(
  "a session of 10,000 events: few rows are in the page, each can be reached, and a fork, a title, an export and a deletion from there",
  async () => {
    await using stage = new CommandStage();
    await imported(stage, 1250);
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    await page.getByRole("link", { name: "Sessions" }).click();
    await page.getByRole("link", { name: "A long one" }).click();
    const area = page.getByRole("region", { name: "Conversation" });
    await area.getByText("Question 1250", { exact: true }).waitFor();
    const rows = area.locator("li[data-index]");
    const mounted = (): Promise<number> => rows.count();
    expect(await mounted()).toBeLessThan(MOST_ROWS);
    // To the very first one: what is older is read on the way.
    const first = area.getByText("Question 1", { exact: true });
    let most = 0;
    while (!(await first.isVisible())) {
      await area.evaluate((element) => {
        element.scrollTop = 0;
      });
      most = Math.max(most, await mounted());
    }
    expect(most).toBeLessThan(MOST_ROWS);
    const turn = area.getByRole("region", { name: /^Turn, 4\.\d s$/ }).first();
    await turn.getByRole("img", { name: /Model 3\.9 s, Tools 0\.8 s/ }).waitFor();
    await turn.getByRole("button", { name: "Time line" }).click();
    const spans = turn.getByRole("table").getByRole("row");
    expect(await spans.count()).toBe(5);
    expect(await barriersOf(page)).toEqual([]);
    // The whole of it can be taken along.
    const session = new URL(page.url());
    const actions = page.getByRole("button", { name: "Actions" });
    await actions.click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "Export as JSON lines" }).click();
    const copy = join(stage.folder, "copy.jsonl");
    await (await downloading).saveAs(copy);
    const again = await stage.run(["sessions", "import", copy, "--title", "Copy"]);
    expect(again.code, again.stderr).toBe(0);
    // The fork ends with that turn.
    await turn.getByRole("button", { name: "Fork here" }).click();
    await page.waitForURL((url) => url.pathname !== session.pathname);
    await area.getByText("Question 1", { exact: true }).waitFor();
    expect(await area.getByText(/^Question/).count()).toBe(1);
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await page.getByLabel("Title").fill("The first answer");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "The first answer" }).waitFor();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete for good" }).click();
    await page.getByRole("heading", { level: 1, name: "Sessions" }).waitFor();
    await page.getByRole("link", { name: "A long one" }).waitFor();
    expect(await page.getByRole("link", { name: "The first answer" }).count()).toBe(0);
    expect(browser.faults).toEqual([]);
  },
);

test.skipIf(noBrowser)(
  "with a keyboard alone: open a session, answer its approval, see what it waited for, go back to before it, and stop one",
  async () => {
    await using model = await writingModel();
    await using stage = new CommandStage();
    stage.configure(
      `model: {provider: local, base_url: "${model.baseUrl}", default: m}\napprovals: {mode: manual}\n`,
    );
    stage.trust();
    const address = await startDashboard(stage);
    expect((await stage.run(["run", "good morning"])).code).toBe(0);
    await using browser = await openTestBrowser();
    const page = await browser.open(address, { colorScheme: "dark", viewport: { width: 360, height: 740 } });
    const { keyboard } = page;
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.goto(new URL("/sessions", address).href);
    await page.getByRole("link", { name: "good morning" }).waitFor();
    const tabTo = async (name: string): Promise<void> => {
      for (let presses = 0; presses < 60; presses += 1) {
        const focused = await page.evaluate("document.activeElement?.textContent ?? ''");
        if (focused === name) return;
        await keyboard.press("Tab");
      }
      throw new Error(`${name} is not reached by Tab.`);
    };
    await tabTo("good morning");
    await keyboard.press("Enter");
    await page.getByText("I heard: good morning").waitFor();
    await page.getByLabel("Message to the agent").focus();
    await keyboard.type("write three.txt");
    await keyboard.press("Enter");
    await page.getByRole("article", { name: /^Approval/ }).waitFor();
    await page
      .getByText(/so far|Waiting/)
      .first()
      .waitFor();
    expect(await barriersOf(page)).toEqual([]);
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    expect(Number(overflow)).toBeLessThanOrEqual(0);
    await tabTo("Allow once");
    await keyboard.press("Enter");
    await page.getByText(/^It says:/).waitFor();
    await page.getByText("Idle").waitFor();
    const turn = page.getByRole("region", { name: /^Turn/ }).last();
    await turn.getByRole("button", { name: "Time line" }).focus();
    await keyboard.press("Enter");
    await turn
      .getByRole("cell", {
        name: /asked at the dashboard, by operator · allowed once from the dashboard, by operator/,
      })
      .waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await turn.getByRole("button", { name: "Rewind" }).focus();
    await keyboard.press("Enter");
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText("1 turn is taken out of the conversation").waitFor();
    await dialog
      .getByText(/three\.txt/)
      .last()
      .waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await turn.getByRole("button", { name: "Rewind" }).focus();
    await keyboard.press("Enter");
    await dialog.getByText("1 turn is taken out of the conversation").waitFor();
    // What it says is known from before; until the focus is in it, it is on the other button of this name.
    await page.locator("[role=alertdialog]:focus-within").waitFor();
    await tabTo("Rewind");
    await keyboard.press("Enter");
    await page.getByText(/^It says:/).waitFor({ state: "detached" });
    expect(await page.getByLabel("Message to the agent").inputValue()).toBe("write three.txt");
    // The prompt is there to be sent again, or changed; a turn that waits is stopped.
    await page.getByLabel("Message to the agent").focus();
    await keyboard.press("ControlOrMeta+A");
    await keyboard.type("write four.txt");
    await keyboard.press("Enter");
    await page.getByRole("article", { name: /^Approval/ }).waitFor();
    await tabTo("Stop");
    await keyboard.press("Enter");
    await turn.getByText("Stopped").waitFor();
    await page.getByText("Idle").waitFor();
    expect(browser.faults).toEqual([]);
  },
);
