import { expect, test } from "vitest";
import { noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { say } from "../kit/scripted-model.ts";
import { appStage, BUILT_PAGES, signInAs } from "./stage.ts";

/** Puts so many lines of a hundred characters where one writes, as a paste does. */
const paste = (lines: number): string => `(() => {
  const area = document.querySelector("textarea");
  const { set } = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value");
  set.call(area, ("a line of a log".padEnd(99, ".") + "\\n").repeat(${lines}));
  area.dispatchEvent(new Event("input", { bubbles: true }));
})()`;

test.skipIf(noBrowser)(
  "a text that is too long to be kept or sent stays where it is written, and its writer is told",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", "+4915123456789");
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    await signInAs(ada, page.context(), stage.url);
    await page.goto(`${stage.url}/app/new/first`);
    const area = page.getByLabel("Message", { exact: true });
    const send = page.getByRole("button", { name: "Send" });
    await area.waitFor();
    // All but a little of the five million characters that a browser keeps of a site.
    await page.evaluate("localStorage.setItem('other', 'x'.repeat(5_200_000))");
    await page.evaluate(paste(1001));
    const told = page.getByText("This is too long to send: a message has at most 100,000 characters.");
    await told.waitFor();
    expect(await send.isDisabled()).toBe(true);
    expect((await area.inputValue()).length).toBe(100_100);

    // The longest that the server takes.
    await page.evaluate(paste(1000));
    await told.waitFor({ state: "detached" });
    stage.model.script([say("That was much.")]);
    await send.click();
    await page.getByRole("log").getByText("That was much.").waitFor();
    expect(browser.faults).toEqual([]);
  },
);
