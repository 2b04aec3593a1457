import { expect, test } from "vitest";
import { noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { say } from "../kit/scripted-model.ts";
import { appStage, BUILT_PAGES, messagesUntil, signInAs } from "./stage.ts";

const DEEP = [
  `Entries:\n${"- ".repeat(4000)}x`,
  `Quotes:\n${"> ".repeat(2000)}x`,
  "a *mark* that cannot be drawn",
];

/** A browser that fails at the last of them, as at a text that is too deep for it. */
const FAILING = `const { replaceAll } = String.prototype;
String.prototype.replaceAll = function (...given) {
  if (this.includes("cannot be drawn")) throw new RangeError("Maximum call stack size exceeded");
  return replaceAll.apply(this, given);
};`;

test.skipIf(noBrowser)(
  "an answer that is too deep to be read or drawn as Markdown is shown as it stands, and takes nothing else along",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", "+4915123456789");
    stage.model.script(...DEEP.map((text) => [say(text)]), [say("A **plain** word.")]);
    const id = await ada.say("first");
    const events = `/conversations/${id}/events`;
    let after = (await messagesUntil(await ada.get(events), "end")).at(-1)?.id ?? "";
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    await page.addInitScript(FAILING);
    await signInAs(ada, page.context(), stage.url);
    await page.goto(`${stage.url}/app/c/${id}`);
    const log = page.getByRole("log");
    await log.getByText(/^Entries:\s- - - /).waitFor();
    // While they are written, too.
    for (const text of ["second", "third", "fourth"]) {
      await ada.say(text, { conversation_id: id });
      after = (await messagesUntil(await ada.get(`${events}?after=${after}`), "end")).at(-1)?.id ?? "";
    }
    await log.locator("strong").getByText("plain").waitFor();
    await page.reload();
    await log.getByText(/^Quotes:\s> > > /).waitFor();
    await log.getByText("a *mark* that cannot be drawn").waitFor();
    await log.locator("strong").getByText("plain").waitFor();
    expect(browser.faults).toEqual([]);
  },
);
