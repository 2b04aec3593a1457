import { expect, test } from "vitest";
import { barriersOf, fullBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { say } from "../kit/scripted-model.ts";
import { appStage, BUILT_PAGES } from "./stage.ts";

/** What a page's storages and the worker's cache hold, by their names. */
const KEPT = `(async () => {
  const outbox = await new Promise((resolve, reject) => {
    const request = indexedDB.open("agent-app");
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const all = request.result.transaction("outbox").objectStore("outbox").getAll();
      all.onsuccess = () => resolve(all.result);
    };
  });
  const cached = [];
  for (const name of await caches.keys())
    for (const request of await (await caches.open(name)).keys()) cached.push(new URL(request.url).pathname);
  return { outbox, cached, local: { ...localStorage }, session: { ...sessionStorage } };
})()`;

interface Kept {
  readonly outbox: readonly unknown[];
  readonly cached: readonly string[];
  readonly local: Readonly<Record<string, string>>;
  readonly session: Readonly<Record<string, string>>;
}

// Skipped where there is no `chromium`: the browser without windows shows no notifications.
test.skipIf(fullBrowser === undefined)(
  "with a keyboard alone one signs in, writes, is told while the app is closed, and leaves nothing behind; and it can be installed",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    await stage.roster.add({ name: "Ada", mobile: "+4915123456789" });
    await using browser = await openTestBrowser(fullBrowser);
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(20_000);
    const context = page.context();
    await context.grantPermissions(["notifications"], { origin: stage.url });
    const { keyboard } = page;
    // What is to be filled in has the focus by itself.
    await page.locator("input[type=tel]:focus").waitFor();
    await keyboard.type("+4915123456789");
    await keyboard.press("Enter");
    await page.locator("input[inputmode=numeric]:focus").waitFor();
    await expect.poll(() => stage.texts.length).toBe(1);
    await keyboard.type(stage.texts[0]?.code ?? "");
    await page.getByText("Nothing here yet").waitFor();
    await page.getByRole("button", { name: "New conversation" }).focus();
    await keyboard.press("Enter");
    await page.locator("textarea:focus").waitFor();
    stage.model.script([say("Hello to you.")]);
    await keyboard.type("Hello");
    await keyboard.press("Enter");
    await page.getByRole("log").getByText("Hello to you.").waitFor();
    // Both beside each other, and what is shown has the focus where one goes on writing.
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Message");
    expect(await barriersOf(page)).toEqual([]);
    const [id = ""] = /[^/]+$/.exec(page.url()) ?? [];

    const line = await context.newCDPSession(page);
    const { errors } = await line.send("Page.getAppManifest");
    const { installabilityErrors } = await line.send("Page.getInstallabilityErrors");
    expect(errors).toEqual([]);
    expect(installabilityErrors.filter(({ errorId }) => errorId !== "in-incognito")).toEqual([]);

    await line.send("ServiceWorker.enable");
    const registration = new Promise<string>((resolve) => {
      line.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [found] }) => {
        if (found !== undefined) resolve(found.registrationId);
      });
    });
    const deliver = async (title: string): Promise<void> => {
      const data = JSON.stringify({ title, body: "Your answer is there.", conversation: id });
      const to = { origin: stage.url, registrationId: await registration, data };
      await line.send("ServiceWorker.deliverPushMessage", to);
    };
    const shown = () =>
      page.evaluate(
        "navigator.serviceWorker.getRegistration('/app').then((each) => each.getNotifications()).then((all) => all.map(({ title, tag }) => `${title} ${tag}`))",
      );
    // Who looks at it sees it there.
    await deliver("Doors");
    expect(await shown()).toEqual([]);
    await page.goto("about:blank");
    await deliver("Doors");
    await page.goto(`${stage.url}/app/me`);
    await expect.poll(shown).toEqual([`Doors ${id}`]);

    await page.getByRole("button", { name: "Sign out here" }).focus();
    await keyboard.press("Enter");
    await page.getByLabel("Your mobile number").waitFor();
    const { outbox, cached, local, session } = (await page.evaluate(KEPT)) as Kept;
    expect({ outbox, local, session }).toEqual({ outbox: [], local: {}, session: {} });
    expect(cached.length).toBeGreaterThan(3);
    // The shell alone: no address of a conversation, no answer of the API.
    expect(
      cached.filter((path) => !/^\/(?:app|assets\/[\w.-]+|theme\.js|icon\.svg|app\.webmanifest)$/.test(path)),
    ).toEqual([]);
    expect(await shown()).toEqual([]);
    expect(browser.faults).toEqual([]);
  },
);
