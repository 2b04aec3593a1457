import { spawn } from "@lydell/node-pty";
import { fileURLToPath } from "node:url";
import xterm from "@xterm/headless";
import type { CommandStage } from "../kit/command.ts";
import { endGroup, endWithTest } from "../kit/end-with-test.ts";
import { inSeries, type TerminalLine } from "./terminal-series.ts";

const BIN = fileURLToPath(new URL("../../bin/agent.js", import.meta.url));

/** Keys as terminals send them. */
export const KEYS = {
  enter: "\r",
  escape: "\u001b",
  tab: "\t",
  up: "\u001b[A",
  down: "\u001b[B",
  right: "\u001b[C",
  left: "\u001b[D",
  home: "\u001b[H",
  altEnter: "\u001b\r",
  altA: "\u001ba",
  alt: (digit: number): string => `\u001b${digit}`,
  backspace: "\u007f",
  ctrl: (letter: string): string => String.fromCharCode(letter.toUpperCase().charCodeAt(0) - 64),
  paste: (text: string): string => `\u001b[200~${text}\u001b[201~`,
} as const;

/** A test that waits in vain says so before its own time is over, with the screen. */
const PATIENCE_MS = process.env["TEST_LONG"] === "1" ? 600_000 : 120_000;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** What stands behind the text, as terminals say it: `rgb:…`. One that says nothing by default. */
  readonly background?: string;
  /** It can tell all keys apart. */
  readonly tellsKeys?: boolean;
  /** Started as people start it, by sh, which stands between it and its terminal's shell. */
  readonly bySh?: boolean;
  /** In a process of its own, which may be killed; without it in one that ran another test, unless something here forbids it. */
  readonly own?: boolean;
}

/** The real program in a real terminal, of which every cell can be read. */
export class TestTerminal implements AsyncDisposable {
  readonly screen;
  readonly exit: Promise<number>;
  /** Everything that was written, byte for byte. */
  raw = "";
  readonly #pty: TerminalLine;
  readonly #watchers = new Set<() => void>();
  #exited = false;

  constructor(stage: CommandStage, args: readonly string[] = [], options: TerminalOptions = {}) {
    const { columns = 100, rows = 30, background, tellsKeys = false } = options;
    this.screen = new xterm.Terminal({ cols: columns, rows, scrollback: 200_000, allowProposedApi: true });
    this.#pty = lineTo(stage, args, options);
    this.#pty.onData((data) => {
      this.raw += data;
      this.screen.write(data, () => this.#look());
    });
    this.screen.onData((reply) => this.#exited || this.#pty.write(reply));
    const { parser } = this.screen;
    if (background !== undefined)
      parser.registerOscHandler(11, () => {
        this.#pty.write(`\u001b]11;${background}\u001b\\`);
        return true;
      });
    if (tellsKeys)
      parser.registerCsiHandler({ prefix: "?", final: "u" }, () => {
        this.#pty.write("\u001b[?0u");
        return true;
      });
    const ended = Promise.withResolvers<number>();
    this.#pty.onExit(({ exitCode }) => {
      this.#exited = true;
      // What it wrote last is still on its way through the terminal.
      this.screen.write("", () => {
        ended.resolve(exitCode);
        this.#look();
      });
    });
    this.exit = ended.promise;
    endWithTest(() => this.#exited || this.#pty.end());
  }

  get pid(): number {
    return this.#pty.pid;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Types a line and sends it, as two presses. */
  send(text: string): void {
    this.type(text);
    this.type(KEYS.enter);
  }

  /** Goes into the question that is open, marks an answer by its number, and takes it. */
  async answer(number: number): Promise<void> {
    await this.shows("Alt+A answers");
    this.type(KEYS.altA);
    await this.shows("marks an answer");
    this.type(String(number));
    await this.shows("Enter takes");
    this.type(KEYS.enter);
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Takes nothing more, as a link that has stalled. */
  stall(): void {
    this.#pty.pause();
  }

  goOn(): void {
    this.#pty.resume();
  }

  /** Closes its window: the terminal is gone. */
  hangUp(): void {
    // The package has it, and its types do not.
    (this.#pty as unknown as { destroy(): void }).destroy();
  }

  kill(signal: string): void {
    this.#pty.kill(signal);
  }

  /** The rows that are seen, from the top, without the spaces at their ends. */
  rows(): readonly string[] {
    const { active } = this.screen.buffer;
    return Array.from({ length: this.screen.rows }, (_, row) => textOf(active.getLine(active.baseY + row)));
  }

  /** All rows, those that have scrolled away first. */
  allRows(): readonly string[] {
    const { active } = this.screen.buffer;
    return Array.from({ length: active.length }, (_, row) => textOf(active.getLine(row)));
  }

  /** All lines as they were written: rows that the terminal has broken are one. */
  lines(): readonly string[] {
    const { active } = this.screen.buffer;
    const lines: string[] = [];
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const text = line?.translateToString(false) ?? "";
      if (line?.isWrapped === true && lines.length > 0) lines[lines.length - 1] += text;
      else lines.push(text);
    }
    return lines.map((line) => line.trimEnd());
  }

  text(): string {
    return this.rows().join("\n");
  }

  get cursor(): { readonly x: number; readonly y: number } {
    const { cursorX, cursorY } = this.screen.buffer.active;
    return { x: cursorX, y: cursorY };
  }

  /** Waits until something holds of the terminal, which may be so already. */
  async until(holds: () => boolean, what = "something"): Promise<void> {
    let late = false;
    const patience = setTimeout(() => {
      late = true;
      this.#look();
    }, PATIENCE_MS);
    while (!holds()) {
      if (late || this.#exited) throw new Error(`${what} did not come. The screen:\n${this.text()}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.add(resolve);
      await promise;
      this.#watchers.delete(resolve);
    }
    clearTimeout(patience);
  }

  /** Waits until the screen, not what scrolled away, shows this. */
  async shows(pattern: RegExp | string): Promise<void> {
    const found = (): boolean =>
      typeof pattern === "string" ? this.text().includes(pattern) : pattern.test(this.text());
    await this.until(found, String(pattern));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#exited) this.#pty.end();
    await this.exit;
    this.screen.dispose();
  }

  #look(): void {
    for (const look of this.#watchers) look();
  }
}

function lineTo(stage: CommandStage, args: readonly string[], options: TerminalOptions): TerminalLine {
  const {
    columns: cols = 100,
    rows = 30,
    env: more,
    bySh = false,
    own = bySh || more !== undefined,
  } = options;
  const { PATH = "" } = process.env;
  const cwd = stage.workspace;
  const env = {
    PATH,
    HOME: stage.folder,
    AGENT_HOME: stage.home,
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
    ...stage.env,
    ...more,
  };
  if (!own) return inSeries({ args, cwd, env }, { cols, rows });
  const program = bySh ? "/bin/sh" : process.execPath;
  const pty = spawn(program, [BIN, ...args], { cwd, env, cols, rows });
  return Object.assign(pty, { end: () => endGroup(pty.pid) });
}

const textOf = (line: { translateToString(trim: boolean): string } | undefined): string =>
  line?.translateToString(true) ?? "";
