import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { findBrowser } from "../kit/browser.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const LONGEST_WAIT = 160_000;

/** Why tests in a browser are skipped on this machine; `false` where there is one. */
export const noBrowser = findBrowser() === undefined && "no chromium on this machine";

/** The browser that shows notifications and can install pages. */
export const fullBrowser = findBrowser(["chromium"]);

/** A browser, and what went wrong in its pages. */
export interface TestBrowser extends AsyncDisposable {
  /** Errors of scripts, requests that left the server, and answers of 500 and more. */
  readonly faults: readonly string[];
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
}

const running = new Map<string, Promise<Browser>>();

/** The browsers of this worker: to start one takes more work than what most tests do in it. */
async function workersBrowser(executablePath: string): Promise<Browser> {
  const starting =
    running.get(executablePath) ??
    chromium.launch({ executablePath, args: ["--no-sandbox"], timeout: LONGEST_WAIT });
  running.set(executablePath, starting);
  const browser = await starting;
  if (browser.isConnected()) return browser;
  running.delete(executablePath);
  return workersBrowser(executablePath);
}

/** Opens a browser of a test's own, as far as pages see it: nothing that they keep is there for the next one. */
export async function openTestBrowser(program = findBrowser() ?? ""): Promise<TestBrowser> {
  const browser = await workersBrowser(program);
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];
  return {
    faults,
    async open(url, options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      contexts.push(context);
      // It only ends what hangs, on a busy machine too.
      context.setDefaultTimeout(LONGEST_WAIT);
      const page = await context.newPage();
      const { origin } = new URL(url);
      page.on("pageerror", ({ message }) => faults.push(message));
      page.on("request", (request) => {
        const to = new URL(request.url());
        if (to.protocol.startsWith("http") && to.origin !== origin) faults.push(`left for ${to.origin}`);
      });
      page.on("response", (response) => {
        if (response.status() >= 500) faults.push(`${response.status()} ${response.url()}`);
      });
      await page.goto(url);
      return page;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(contexts.map((context) => context.close()));
    },
  };
}

/** Ends with the last transition; a sign that turns for as long as something is under way does not count. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter((each) => Number.isFinite(each.effect?.getComputedTiming().endTime ?? 0)).map(({ finished }) => finished))
  .then(() => undefined)`;

/** What keeps people out of a page, as axe finds it: serious and worse. @param rules - the only ones of axe to go by */
export async function barriersOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // By the protocol, not by a script tag: the page's policy allows none.
  if ((await page.evaluate("'axe' in window")) === false) await page.evaluate(`${AXE}; undefined`);
  // A colour on its way to another one is not judged.
  await page.evaluate(SETTLED);
  const options = JSON.stringify({ resultTypes: ["violations"], ...(rules && { runOnly: rules }) });
  const found = (await page.evaluate(`axe.run(document, ${options})`)) as {
    readonly violations: readonly {
      readonly id: string;
      readonly impact: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  };
  return found.violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
}
