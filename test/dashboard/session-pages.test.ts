import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openEditor } from "../acp/acp-stage.ts";
import { writingModel } from "../chat/kit/writing-model.ts";
import { CommandStage } from "../kit/command.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";
import { holdLine } from "./page-line.ts";
import { startDashboard } from "./start-dashboard.ts";

/** A home whose model writes the file that it is asked for, after an approval. */
async function stageWithModel() {
  const model = await writingModel();
  const stage = new CommandStage();
  stage.configure(
    `model: {provider: local, base_url: "${model.baseUrl}", default: m}\napprovals: {mode: manual}\n`,
  );
  stage.trust();
  return {
    stage,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}

/** Opens the page of a session by its title, with a line whose answers can be held. */
async function openGoodMorning(browser: Awaited<ReturnType<typeof openTestBrowser>>, address: string) {
  const page = await browser.open(new URL("/icon.svg", address).href);
  const line = await holdLine(page);
  await page.goto(address);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: "good morning" }).click();
  return { page, line };
}

test.skipIf(noBrowser)(
  "an approval that an editor waits for is answered in the page, and its session is watched there",
  async () => {
    await using home = await stageWithModel();
    const { stage } = home;
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByText("Nothing waits for an answer").waitFor();
    // The editor never answers: whoever does is elsewhere.
    const { editor, sessionId } = await openEditor(stage, {
      permit: () => new Promise<never>(() => undefined),
    });
    const prompted = editor.prompt(sessionId, "write one.txt");
    const card = page.getByRole("article", { name: /^Approval/ });
    await card.waitFor();
    expect(await barriersOf(page)).toEqual([]);
    await card.getByRole("link").click();
    await page
      .getByRole("region", { name: "Conversation" })
      .getByText("write one.txt", { exact: true })
      .waitFor();
    expect(existsSync(join(stage.workspace, "one.txt"))).toBe(false);
    await page.getByRole("button", { name: "Allow once" }).click();
    await prompted;
    expect(existsSync(join(stage.workspace, "one.txt"))).toBe(true);
    await page.getByText(/^It says:/).waitFor();
    await page.getByText("Idle").waitFor();
    expect(await barriersOf(page)).toEqual([]);
    expect(browser.faults).toEqual([]);
    await editor[Symbol.asyncDispose]();
  },
);

test.skipIf(noBrowser)("one steps in: a denial with its reason, and a prompt of one's own", async () => {
  await using home = await stageWithModel();
  const { stage } = home;
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  const { editor, sessionId } = await openEditor(stage, {
    permit: () => new Promise<never>(() => undefined),
  });
  const prompted = editor.prompt(sessionId, "write two.txt");
  await page.getByRole("link", { name: "Approvals" }).click();
  const card = page.getByRole("article", { name: /^Approval/ });
  await card.getByLabel("Why not").fill("we keep notes elsewhere");
  await card.getByRole("button", { name: "Deny" }).click();
  await prompted;
  await page.getByText("Nothing waits for an answer").waitFor();
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: "write two.txt" }).click();
  await page
    .getByText(/we keep notes elsewhere/)
    .first()
    .waitFor();
  await page.getByLabel("Message to the agent").fill("good evening");
  await page.keyboard.press("Enter");
  await page.getByText("I heard: good evening").waitFor();
  expect(existsSync(join(stage.workspace, "two.txt"))).toBe(false);
  expect(browser.faults).toEqual([]);
  await editor[Symbol.asyncDispose]();
});

test.skipIf(noBrowser)(
  "a session that answers too late is not shown at the address of another one, and gets no prompt of it",
  async () => {
    await using home = await stageWithModel();
    const { stage } = home;
    const address = await startDashboard(stage);
    expect((await stage.ask(["run", "good morning"])).code).toBe(0);
    await using browser = await openTestBrowser();
    const { page, line } = await openGoodMorning(browser, address);
    await page.getByRole("button", { name: "Fork here" }).click();
    const copy = page.getByRole("heading", { level: 1, name: "good morning #2" });
    await copy.waitFor();
    const held = line.hold("session.resume");
    await page.goBack();
    const late = await held;
    await page.goForward();
    await copy.waitFor();
    late.release();
    await page.getByLabel("Message to the agent").fill("this is for the copy");
    await page.keyboard.press("Enter");
    await page.getByText("I heard: this is for the copy").waitFor();
    expect(await copy.isVisible()).toBe(true);
    expect(browser.faults).toEqual([]);
  },
);

test.skipIf(noBrowser)(
  "a prompt whose answer is lost is sent again and runs once, and what is typed meanwhile stays",
  async () => {
    await using home = await stageWithModel();
    const { stage } = home;
    const address = await startDashboard(stage);
    expect((await stage.ask(["run", "good morning"])).code).toBe(0);
    await using browser = await openTestBrowser();
    const { page, line } = await openGoodMorning(browser, address);
    const box = page.getByLabel("Message to the agent");
    const talk = page.getByRole("region", { name: "Conversation" });
    const lost = page.getByRole("alert");
    /** Sends with `press`, and holds the answer. */
    const held = async (press: () => Promise<void>) => {
      const answer = line.hold("prompt.submit");
      await press();
      return await answer;
    };
    const send = (): Promise<void> => box.press("Enter");
    await box.fill("first words");
    const slow = await held(send);
    await box.pressSequentially(" second words");
    slow.release();
    await expect.poll(() => box.inputValue()).toBe("second words");
    await talk.getByText("I heard: first words").waitFor();

    (await held(send)).lose();
    await lost.waitFor();
    expect(await box.inputValue()).toBe("second words");
    await send();
    await expect.poll(() => box.inputValue()).toBe("");

    // Its turn runs, until the file may be written.
    await box.fill("write three.txt");
    await send();
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    const steer = page.getByRole("button", { name: "Steer" });
    await box.fill("but briefly");
    (await held(() => steer.click())).lose();
    await lost.waitFor();
    await steer.click();
    await expect.poll(() => box.inputValue()).toBe("");
    await page.getByRole("button", { name: "Allow once" }).click();
    await talk.getByText("I heard: but briefly").waitFor();
    await page.getByText("Idle").waitFor();
    await page.reload();
    await talk.getByText("write three.txt", { exact: true }).waitFor();
    for (const words of ["I heard: second words", "but briefly"])
      expect(await talk.getByText(words, { exact: true }).count()).toBe(1);
    expect(browser.faults).toEqual([]);
  },
);

test.skipIf(noBrowser)(
  "a damaged session is shown as one, with what can be read of it, and goes on as a branch",
  async () => {
    await using home = await stageWithModel();
    const { stage } = home;
    for (const args of [["good morning"], ["good evening", "--continue"]])
      expect(await stage.ask(["run", ...args])).toMatchObject({ code: 0 });
    const database = new DatabaseSync(join(stage.home, "state.db"));
    database.exec(`UPDATE rows SET crc = crc + 1
      WHERE n = (SELECT max(n) FROM rows WHERE type = 'turn.end')`);
    database.exec("DELETE FROM states");
    database.close();
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    await page.getByRole("link", { name: "Sessions" }).click();
    await page
      .getByRole("row", { name: /Damaged/ })
      .getByRole("link")
      .click();
    await page.getByRole("alert").getByText("is damaged at row").waitFor();
    const talk = page.getByRole("region", { name: "Conversation" });
    await talk.getByText("I heard: good morning").waitFor();
    await talk.getByText("I heard: good evening").waitFor();
    expect(await page.getByRole("textbox").count()).toBe(0);
    expect(await barriersOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Branch" }).click();
    await page.getByLabel("Message to the agent").fill("good night");
    await page.keyboard.press("Enter");
    await talk.getByText("I heard: good night").waitFor();
    await talk.getByText("I heard: good morning").waitFor();
    // Its turn never ended, as far as anybody can read.
    expect(await talk.getByText("good evening").count()).toBe(0);
    expect(browser.faults).toEqual([]);
  },
);
