import { expect, test } from "vitest";
import { noBrowser, openTestBrowser } from "../dashboard/browser.ts";
import { say } from "../kit/scripted-model.ts";
import { appStage, BUILT_PAGES, signInAs } from "./stage.ts";

/** Keeps the browser's store busy until `release()` is called in this page. */
const HOLD = `new Promise((resolve, reject) => {
  const request = indexedDB.open("agent-app");
  request.onerror = () => reject(request.error);
  request.onsuccess = () => {
    const store = request.result.transaction("outbox", "readwrite").objectStore("outbox");
    let held = true;
    const again = () => { if (held) store.count().onsuccess = again; };
    again();
    window.release = () => { held = false; };
    resolve();
  };
})`;

test.skipIf(noBrowser)(
  "a message says that it is being sent once it outlives the page, and not before",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", "+4915123456789");
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    const context = page.context();
    await signInAs(ada, context, stage.url);
    await page.reload();
    await page.getByText("Nothing here yet").waitFor();
    // Nothing reaches the server, and the browser's store is busy.
    await page.route("**/app/api/prompts", (route) => route.abort("connectionreset"));
    const other = await context.newPage();
    await other.goto(`${stage.url}/app`);
    await other.getByText("Nothing here yet").waitFor();
    await other.evaluate(HOLD);

    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByLabel("Message", { exact: true }).fill("hold this");
    await page.getByRole("button", { name: "Send" }).click();
    const log = page.getByRole("log");
    await log.getByText("hold this").waitFor();
    expect(await log.getByText("Sending…").count()).toBe(0);
    await other.evaluate("release()");
    await log.getByText("Sending…", { exact: true }).waitFor();
    await page.reload();
    await log.getByText("hold this").waitFor();
    await log.getByText("Sending…", { exact: true }).waitFor();

    // A browser that keeps nothing: what is written is there as long as the page is.
    await page.evaluate("IDBObjectStore.prototype.put = () => { throw new Error('It keeps nothing.'); }");
    await page.getByLabel("Message", { exact: true }).fill("only here");
    await page.getByRole("button", { name: "Send" }).click();
    await log.getByText("Sending… Leave this page open.").waitFor();
  },
);

test.skipIf(noBrowser)(
  "what waits to be sent outlives the end of a sign-in: it is shown to nobody, and sent once its member signs in again",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const mobile = "+4915123456789";
    const ada = await stage.member("Ada", mobile);
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    await signInAs(ada, page.context(), stage.url);
    await page.reload();
    await page.getByText("Nothing here yet").waitFor();
    await page.route("**/app/api/prompts", (route) => route.abort("connectionreset"));
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.getByLabel("Message", { exact: true }).fill("written in the train");
    await page.getByRole("button", { name: "Send" }).click();
    const log = page.getByRole("log");
    await log.getByText("Sending…", { exact: true }).waitFor();

    await stage.app.devices.endAll(ada.id);
    await page.evaluate("dispatchEvent(new Event('focus'))");
    const number = page.getByLabel("Your mobile number");
    await number.waitFor();
    // Also when the app is opened without a line: what is kept is of somebody who is not signed in.
    await page.route("**/app/api/me", (route) => route.abort("connectionreset"));
    await page.reload();
    await number.waitFor();
    expect(await page.getByText("written in the train").count()).toBe(0);

    await page.unrouteAll();
    stage.model.script([say("Have a good journey.")]);
    await number.fill(mobile);
    const { length } = stage.texts;
    await page.getByRole("button", { name: "Send me a code" }).click();
    await expect.poll(() => stage.texts.length).toBe(length + 1);
    await page.getByLabel("Code").fill(stage.texts.at(-1)?.code ?? "");
    await log.getByText("written in the train").waitFor();
    await log.getByText("Have a good journey.").waitFor();
    await log.getByText("Sending…").waitFor({ state: "detached" });
    expect(browser.faults).toEqual([]);
  },
);

test.skipIf(noBrowser)(
  "who signs out on a device takes along what waits there, also where the sign-in had ended already",
  async () => {
    await using stage = await appStage({ pages: BUILT_PAGES });
    const ada = await stage.member("Ada", "+4915123456789");
    await using browser = await openTestBrowser();
    const page = await browser.open(`${stage.url}/app`);
    page.setDefaultTimeout(25_000);
    await signInAs(ada, page.context(), stage.url);
    await page.reload();
    await page.getByText("Nothing here yet").waitFor();
    await page.evaluate("localStorage.setItem('app:draft:new', 'half a thought')");
    await page.getByRole("button", { name: "You and your devices" }).click();
    await page.getByText("This one").waitFor();
    await stage.app.devices.endAll(ada.id);
    await page.getByRole("button", { name: "Sign out here" }).click();
    await page.getByLabel("Your mobile number").waitFor();
    await expect.poll(() => page.evaluate("localStorage.getItem('app:draft:new')")).toBe(null);
  },
);
