import { expect, test } from "vitest";
import { noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { say } from "../kit/scripted-model.ts";
import { allEvents } from "../kit/test-host.ts";
import { appStage, BUILT_PAGES, signInAs } from "./stage.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const;
/** The slow line of the contract: milliseconds, and bytes a second. */
const SLOW = { latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 } as const;

test.skipIf(noBrowser)(
  "a message is sent once and its answer arrives: on a slow line, when an answer was lost, and after the app was closed without a line",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", "+4915123456789");
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`, PHONE);
    page.setDefaultTimeout(25_000);
    const context = page.context();
    await signInAs(ada, context, stage.url);
    await page.evaluate("navigator.serviceWorker.ready");
    await page.reload();
    const line = await context.newCDPSession(page);
    // Both: the one is for the page, the other for its worker.
    const cut = async (offline: boolean): Promise<void> => {
      await context.setOffline(offline);
      await line.send("Network.emulateNetworkConditions", { ...SLOW, offline });
    };
    await cut(false);

    // The server takes the first one, and the page never hears of it.
    let lost = 0;
    await page.route("**/app/api/prompts", async (route) => {
      lost += 1;
      if (lost > 1) return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
    });
    stage.model.script([say("I heard you once.")], [say("And again.")], [say("And at last.")]);
    await page.getByRole("button", { name: "New conversation" }).click();
    const write = async (text: string): Promise<void> => {
      await page.getByLabel("Message", { exact: true }).fill(text);
      await page.getByRole("button", { name: "Send" }).click();
    };
    await write("first");
    await page.getByRole("log").getByText("I heard you once.").waitFor();
    await page.getByRole("log").getByText("Sending…").waitFor({ state: "detached" });
    expect(lost).toBeGreaterThan(1);
    await write("second");
    await page.getByRole("log").getByText("And again.").waitFor();
    await page.getByRole("log").getByText("Sending…").waitFor({ state: "detached" });

    await cut(true);
    await write("third");
    await page.getByRole("log").getByText("Sending…").waitFor();
    // Closed and opened again, still without a line: the shell is there, and so is the message.
    await page.reload();
    await page.getByRole("log").getByText("third").waitFor();
    await page.getByText("No connection. What you write").waitFor();
    await cut(false);
    await page.getByRole("log").getByText("And at last.").waitFor();
    const { data } = (await (await ada.get("/conversations")).json()) as { data: readonly { id: string }[] };
    expect(data).toHaveLength(1);
    const events = await allEvents(await stage.host.session(data[0]?.id ?? ""));
    const prompts = events.flatMap((event) => (event.type === "turn.start" ? [event.prompt.parts[0]] : []));
    expect(prompts).toMatchObject([{ text: "first" }, { text: "second" }, { text: "third" }]);
    // Nothing that anybody said is in the worker's cache.
    const kept = (await page.evaluate(
      "caches.open('shell-1').then((cache) => cache.keys()).then((all) => all.map(({ url }) => new URL(url).pathname))",
    )) as readonly string[];
    expect(kept.length).toBeGreaterThan(3);
    expect(kept.filter((path) => path.startsWith("/app/api"))).toEqual([]);

    // What one wrote without a line is sent as nobody else's who signs in on the same device, and read by nobody.
    await cut(true);
    await write("of Ada alone");
    await page.getByRole("log").getByText("Sending…").waitFor();
    await stage.app.devices.endAll(ada.id);
    const eve = await stage.member("Eve", "+4915123456780");
    await signInAs(eve, context, stage.url);
    await cut(false);
    await page.goto(`${stage.url}/app`);
    await page.getByText("Nothing here yet").waitFor();
    expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(ada.id);
    expect(await (await eve.get("/conversations")).json()).toEqual({ data: [] });
    expect(browser.faults).toEqual([]);
  },
);
