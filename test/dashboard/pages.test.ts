import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { CommandStage } from "../kit/command.ts";
import { freePort } from "../kit/free-port.ts";
import { systemClock } from "../../src/shared/async/clock.ts";
import { codeOf } from "./stage.ts";
import { startDashboard } from "./start-dashboard.ts";
import { barriersOf, noBrowser, openTestBrowser } from "./browser.ts";

const PAGES = [
  "/",
  "/sessions",
  "/approvals",
  "/connectors",
  "/connectors/slack",
  "/jobs",
  "/jobs/new",
  "/hooks",
  "/hooks/new",
  "/hooks/incoming",
  "/models",
  "/skills",
  "/memory",
  "/system",
];

test.skipIf(noBrowser)("an address that the command prints opens the pages, with an empty home", async () => {
  await using stage = new CommandStage();
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(new URL("/icon.svg", address).href);
  // As on a busy machine: who is signed in is asked before the code is used, and the answer heard after it.
  const used = page.waitForResponse("**/sign-in/address").then((response) => response.finished());
  await page.route("**/dashboard/api/sign-in", async (route) => {
    const response = await route.fetch();
    await used;
    await route.fulfill({ response });
  });
  await page.goto(address);
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  expect(page.url()).toBe(new URL("/", address).href);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByText("No session yet").waitFor();
  await page.getByRole("link", { name: "System" }).click();
  await page.getByText("This one").waitFor();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(browser.faults).toEqual([]);
});

test.skipIf(noBrowser)("what is being written outlives a dashboard that is away for a while", async () => {
  await using stage = new CommandStage();
  stage.env["DASHBOARD_PORT"] = String(await freePort());
  const start = async () => {
    const command = stage.start(["dashboard", "--print-only"]);
    return { ...command, address: await command.line((line) => line.startsWith("http")) };
  };
  const first = await start();
  await using browser = await openTestBrowser();
  const page = await browser.open(first.address);
  await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
  await page.goto(new URL("/personas/new", first.address).href);
  const text = page.getByLabel("Instructions");
  await text.fill("Two hours of careful work");
  first.child.kill("SIGTERM");
  await first.end;
  /** Comes back to the tab until it shows something, or no more: who is signed in is asked then, unless that was just heard. */
  const comeBack = async (seen: Locator, isSeen = true): Promise<void> => {
    await expect
      .poll(async () => {
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
        return await seen.isVisible();
      })
      .toBe(isSeen);
  };
  const again = page.getByRole("button", { name: "Try again" });
  await comeBack(again);
  expect(await barriersOf(page)).toEqual([]);
  expect(await text.inputValue()).toBe("Two hours of careful work");
  await again.click();
  await start();
  await comeBack(again, false);
  expect(await text.inputValue()).toBe("Two hours of careful work");
  // A sign-in that ended is an answer.
  const signedOut = await page.context().request.post(new URL("/dashboard/api/sign-out", page.url()).href, {
    data: {},
    headers: { "sec-fetch-site": "same-origin", origin: new URL(page.url()).origin },
  });
  expect(signedOut.ok()).toBe(true);
  await comeBack(page.getByRole("heading", { name: "Sign in" }));
  expect(browser.faults).toEqual([]);
});

test.skipIf(noBrowser)(
  "a password and an authenticator that are set in the page let in from elsewhere",
  async () => {
    await using stage = new CommandStage();
    const address = await startDashboard(stage);
    await using browser = await openTestBrowser();
    const page = await browser.open(address);
    await page.getByRole("link", { name: "System" }).click();
    const managed = 'form:has([type="password"]) [autocomplete="username"]';
    expect(await page.locator(managed).inputValue()).toBe("operator");
    await page.getByLabel("New password").fill("password12");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("tried first").waitFor();
    await page.getByLabel("New password").fill("a horse, correctly stapled");
    await page.getByRole("button", { name: "Go on" }).click();
    await page.getByText("Scan this").waitFor();
    const secret = await page.locator("form code").innerText();
    const recovery = await page.locator("form li").allInnerTexts();
    expect(recovery).toHaveLength(10);
    await page.getByLabel("Code").fill(codeOf(secret, systemClock));
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByText("Both are set").waitFor();

    const elsewhere = await browser.open(new URL("/system", address).href);
    // A password manager keeps both as one.
    expect(await elsewhere.locator(managed).inputValue()).toBe("operator");
    await elsewhere.getByLabel("Password").fill("a horse, correctly stapled");
    await elsewhere.getByLabel("Code").fill(recovery[0] ?? "");
    await elsewhere.getByRole("button", { name: "Sign in" }).click();
    await elsewhere.getByText("Both are set").waitFor();
    expect(browser.faults).toEqual([]);
  },
);

test.skipIf(noBrowser)("a session that a program begins shows without a reload", async () => {
  await using stage = new CommandStage();
  const address = await startDashboard(stage);
  await using browser = await openTestBrowser();
  const page = await browser.open(address);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByText("No session yet").waitFor();
  expect((await stage.run(["run", "hello from a program"])).code).toBe(0);
  await page.getByText("hello from a program").waitFor();
  const words = page.getByRole("searchbox", { name: "Search titles and conversations" });
  await words.fill("PROGR");
  await page
    .locator("mark", { hasText: /^program$/ })
    .first()
    .waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("PROGR");
  await page.setViewportSize({ width: 360, height: 800 });
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
  expect(await barriersOf(page)).toEqual([]);
  await words.fill("nobody said this");
  await page.getByText("Nothing was found").waitFor();
  await words.fill("hello");
  await page.getByRole("link", { name: "hello from a program" }).click();
  await page
    .getByRole("region", { name: "Conversation" })
    .getByText("hello from a program")
    .first()
    .waitFor();
  expect(browser.faults).toEqual([]);
});

test.skipIf(noBrowser).each(["light", "dark"] as const)(
  "in %s colours no page keeps anybody out, on a phone neither",
  async (colorScheme) => {
    await using stage = new CommandStage();
    await using browser = await openTestBrowser();
    const address = await startDashboard(stage);
    const page = await browser.open(address, { colorScheme });
    await page.getByRole("heading", { level: 1, name: "Home" }).waitFor();
    const barriers: string[] = [];
    // What is dark differs in nothing but its colours.
    const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
    for (const [at, path] of PAGES.entries()) {
      await page.goto(new URL(path, address).href.split("#", 1)[0] ?? "");
      await page.getByRole("heading", { level: 1 }).waitFor();
      // Every second page comes on a phone and grows, the others shrink.
      for (const width of at % 2 === 0 ? [1280, 360] : [360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        barriers.push(...(await barriersOf(page, rules)).map((each) => `${path} at ${width}: ${each}`));
        const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        if (Number(overflow) > 0) barriers.push(`${path} at ${width}: ${String(overflow)} pixels too wide`);
      }
    }
    expect(barriers).toEqual([]);
    expect(browser.faults).toEqual([]);
  },
);
