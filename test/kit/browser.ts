import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import type { Duplex } from "node:stream";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The browser as people have it; and the one without windows and notifications, which takes two thirds of its time. */
type BrowserName = "chromium" | "chromium-headless-shell";

/** The first of these browsers that is on this machine's PATH, by its file; `undefined` when there is none. */
export function findBrowser(
  names: readonly BrowserName[] = ["chromium-headless-shell", "chromium"],
): string | undefined {
  const look = names.map((name) => `command -v ${name}`).join(" || ");
  try {
    return execFileSync("sh", ["-c", look], { encoding: "utf8" }).trim();
  } catch {
    return undefined;
  }
}

interface Message {
  readonly id?: number;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

/** A page of a real browser, without a window, driven by its own protocol over two pipes: it ends when they close. */
export class BrowserPage implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #commands: Duplex;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #session = "";
  #next = 0;

  private constructor(process: ChildProcess, profile: string) {
    const { 3: commands, 4: answers } = process.stdio;
    this.#process = process;
    this.#profile = profile;
    // Made as pipes below: a pipe of a child's is a socket.
    this.#commands = commands as Duplex;
    let rest = "";
    (answers as Duplex).setEncoding("utf8").on("data", (text: string) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop() ?? "";
      // The browser sends JSON objects.
      for (const message of messages) this.#take(JSON.parse(message) as Message);
    });
  }

  static async open(program: string, url: string): Promise<BrowserPage> {
    const profile = mkdtempSync(join(tmpdir(), "agent-browser-"));
    const flags = [
      "--headless",
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--remote-debugging-pipe",
    ];
    const process = spawn(program, [...flags, `--user-data-dir=${profile}`, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
    });
    const page = new BrowserPage(process, profile);
    const { targetId } = await page.#send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await page.#send("Target.attachToTarget", { targetId, flatten: true });
    page.#session = String(sessionId);
    await page.go(url);
    return page;
  }

  /** Goes to another page; resolves once it is there with its scripts. */
  async go(url: string): Promise<void> {
    await this.#send("Page.navigate", { url });
    await this.run(`new Promise((resolve) => {
      if (document.readyState === "complete") resolve();
      else addEventListener("load", resolve, { once: true });
    })`);
  }

  /** Runs a script in the page and gives what it gives, once its promise is fulfilled. */
  async run(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.#send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { readonly value?: unknown }).value;
  }

  /** Resolves with the text of an element once it matches; each look is at the page that is there then. */
  async shows(selector: string, pattern: RegExp): Promise<string> {
    for (;;) {
      const text = await this.run(`document.querySelector(${JSON.stringify(selector)})?.textContent ?? ""`);
      if (typeof text === "string" && pattern.test(text)) return text;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = once(this.#process, "exit");
    this.#commands.end();
    await gone;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  async #send(method: string, params: object): Promise<Readonly<Record<string, unknown>>> {
    const id = (this.#next += 1);
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#waiting.set(id, resolve);
    const session = this.#session === "" ? {} : { sessionId: this.#session };
    this.#commands.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    const { result, error } = await promise;
    if (result === undefined) throw new Error(`${method}: ${error?.message ?? "no answer"}`);
    return result;
  }

  #take(message: Message): void {
    if (message.id === undefined) return;
    this.#waiting.get(message.id)?.(message);
    this.#waiting.delete(message.id);
  }
}
