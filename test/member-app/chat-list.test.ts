import { expect, test } from "vitest";
import { noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { gate } from "../kit/scripted-model.ts";
import { appStage, BUILT_PAGES, signInAs } from "./stage.ts";

const COUNT = 34;

test.skipIf(noBrowser)(
  "older conversations are asked for once and shown once, and not among what is searched for meanwhile",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", "+4915123456789");
    for (let number = 1; number <= COUNT; number += 1) {
      await ada.say(`chat number ${number}`);
      stage.clock.advance(1000);
    }
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    await signInAs(ada, page.context(), stage.url);
    let slow = gate();
    let asked = 0;
    await page.route(/conversations\?.*after=/, async (route) => {
      asked += 1;
      await slow.opened;
      await route.continue();
    });
    await page.reload();
    const rows = page.getByRole("navigation").getByRole("listitem");
    const older = page.getByRole("button", { name: "Older conversations" });
    await older.click();
    await older.click();
    // What is searched for while they come is shown alone.
    const search = page.getByLabel("Search conversations");
    await search.fill("number 17");
    await expect.poll(() => rows.count()).toBe(1);
    expect(asked).toBe(1);
    const answered = page.waitForResponse(/after=/);
    slow.open();
    await answered;
    await page.evaluate("fetch('/app/api/me').then(({ status }) => status)");
    expect(await rows.count()).toBe(1);

    slow = gate();
    await search.fill("");
    await older.click();
    await older.click();
    slow.open();
    await expect.poll(() => rows.count()).toBe(COUNT);
    await older.waitFor({ state: "detached" });
    expect(asked).toBe(2);
    expect(browser.faults).toEqual([]);
  },
);
