import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { noBrowser, openTestBrowser } from "./browser.ts";
import { operatorAt } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";

const EDITED = [
  {
    path: "/users",
    page: "/users",
    draft: { name: "Anna", mobile: "+4915123456789", persona: "desk", budget: { tokens: 100, cost: 10 } },
    theirs: { mobile: null, role: "operator", persona: null, budget: { cost: 20 } },
    label: "Tokens a month",
    ours: "5000",
    after: { mobile: null, role: "operator", persona: null, budget: { tokens: 5000, cost: 20 } },
  },
  {
    path: "/jobs",
    page: "/jobs",
    draft: { schedule: "every 30m", prompt: "Look around" },
    theirs: { prompt: "Stay here", persona: "desk" },
    label: "Name",
    ours: "Night watch",
    after: { job: { prompt: "Stay here", persona: "desk", name: "Night watch" } },
  },
  {
    path: "/webhooks/addresses",
    page: "/hooks/addresses",
    draft: { url: "http://127.0.0.1:9/hook", events: ["turn.completed", "turn.failed"], include_text: true },
    theirs: { events: ["turn.failed"], include_text: false },
    label: "Description",
    ours: "Pager",
    after: { events: ["turn.failed"], include_text: false, description: "Pager" },
  },
] as const;

test.skipIf(noBrowser).each(EDITED)(
  "the form of one of $path saves what was changed in it, and takes nothing back that somebody else changed meanwhile",
  async ({ path, page: pages, draft, theirs, label, ours, after }) => {
    await using stage = new CommandStage();
    stage.configure("personas: {desk: {instructions: Be kind.}}\nwebhooks: {private_hosts: [127.0.0.1]}\n");
    const address = await startDashboard(stage);
    // An address lets in once: this is another operator's.
    const operator = await operatorAt((await stage.ask(["dashboard", "--print-only"])).stdout.trim());
    await operator.post(path, draft);
    const list = (await (await operator.get(path)).json()) as {
      readonly data: readonly [{ readonly id: string }];
    };
    const one = `${path}/${list.data[0].id}`;
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    await page.goto(new URL(`${pages}/${list.data[0].id}/edit`, address).href);
    await page.getByLabel(label).fill(ours);
    const changed = await operator.patch(one, theirs);
    expect([changed.status, await changed.json()]).toEqual([200, expect.objectContaining({})]);
    // The page hears of it, as when one comes back to its tab.
    let isHeard = false;
    page.on("response", (response) => {
      isHeard ||= response.request().method() === "GET" && response.url().endsWith(one);
    });
    await expect
      .poll(async () => {
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
        return isHeard;
      })
      .toBe(true);
    await page.getByRole("button", { name: "Save" }).click();
    await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
    expect(await (await operator.get(one)).json()).toMatchObject(after);
    expect(browser.faults).toEqual([]);
  },
);
