import { expect, test } from "vitest";
import { noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { gate, say } from "../kit/scripted-model.ts";
import { appStage, BUILT_PAGES, messagesUntil, signInAs } from "./stage.ts";

/** A browser that knows its event streams, and can be told that nobody looks. */
const WATCHED = `window.streams = [];
window.EventSource = class extends EventSource {
  constructor(url) { super(url); window.streams.push(this); }
};
window.look = (hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
};`;

const OPEN = "streams.filter(({ readyState }) => readyState !== EventSource.CLOSED).length";

test.skipIf(noBrowser)(
  "a conversation is followed once, however often the line comes back while it loads, and not at all while nobody looks",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", "+4915123456789");
    stage.model.script([say("Hello there.")]);
    const id = await ada.say("hi");
    await messagesUntil(await ada.get(`/conversations/${id}/events`), "end");
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`, { serviceWorkers: "block" });
    page.setDefaultTimeout(25_000);
    await page.addInitScript(WATCHED);
    await signInAs(ada, page.context(), stage.url);
    let slow = gate();
    let asked = 0;
    await page.route(/\/conversations\/[^/?]+$/, async (route) => {
      asked += 1;
      await slow.opened;
      // The page may have gone on without it.
      await route.continue().catch(() => undefined);
    });
    const answer = page.getByRole("log").getByText("Hello there.");
    await page.goto(`${stage.url}/app/c/${id}`);
    await expect.poll(() => asked).toBe(1);
    for (let count = 2; count <= 8; count += 1) {
      await page.evaluate("dispatchEvent(new Event('online'))");
      await expect.poll(() => asked).toBe(count);
    }
    slow.open();
    await answer.waitFor();
    await expect.poll(() => page.evaluate("streams.some(({ readyState }) => readyState === 1)")).toBe(true);
    // A browser has six connections to a server: the page's own requests need some of them.
    expect(await page.evaluate(OPEN)).toBe(1);
    expect(await page.evaluate("fetch('/app/api/me').then(({ status }) => status)")).toBe(200);
    await page.evaluate("look(true)");
    expect(await page.evaluate(OPEN)).toBe(0);
    await page.evaluate("dispatchEvent(new Event('online'))");
    expect(await page.evaluate(OPEN)).toBe(0);

    // Hidden while it loads.
    slow = gate();
    asked = 0;
    await page.reload();
    await expect.poll(() => asked).toBe(1);
    await page.evaluate("look(true)");
    slow.open();
    await page.evaluate("fetch('/app/api/me').then(({ status }) => status)");
    expect(await page.evaluate("streams.length")).toBe(0);
    await page.evaluate("look(false)");
    await answer.waitFor();
    await expect.poll(() => page.evaluate(OPEN)).toBe(1);
    expect(browser.faults).toEqual([]);
  },
);
