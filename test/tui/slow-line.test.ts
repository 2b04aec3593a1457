import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { TerminalRateEstimate } from "../../src/tui/terminal/rate-estimate.ts";
import { Screen } from "../../src/tui/terminal/screen.ts";
import { sizeOf, type TerminalOutput } from "../../src/tui/terminal/terminal-output.ts";
import { line } from "../../src/tui/text/line.ts";
import { makeTheme } from "../../src/tui/text/theme.ts";

const theme = makeTheme({ depth: "none", background: undefined });

/** A terminal that takes what is written when it is told to. */
class StuckTerminal implements TerminalOutput {
  readonly columns = 40;
  readonly rows = 10;
  readonly written: string[] = [];
  #waiting: (() => void)[] = [];

  get writableLength(): number {
    return this.#waiting.length;
  }

  write(text: string, done: () => void): boolean {
    this.written.push(text);
    this.#waiting.push(done);
    return false;
  }

  take(): void {
    const done = this.#waiting;
    this.#waiting = [];
    for (const each of done) each();
  }

  on(): void {}

  off(): void {}
}

test("a terminal of which nobody has set the size is taken for a usual one", () => {
  expect(sizeOf({ columns: 0, rows: 0 })).toEqual({ columns: 80, rows: 24 });
  expect(sizeOf({})).toEqual({ columns: 80, rows: 24 });
  expect(sizeOf({ columns: 132, rows: 43 })).toEqual({ columns: 132, rows: 43 });
});

describe("a slow line", () => {
  test("gets the newest frame when it takes more: those in between are skipped, not queued", async () => {
    const terminal = new StuckTerminal();
    const screen = new Screen(terminal, { theme: () => theme, resized: () => undefined });
    const draw = (text: string): void =>
      screen.draw({ lines: [line(text)], caret: undefined, columns: 40 }, true);
    for (let frame = 0; frame < 1000; frame += 1) draw(`frame ${frame};`);
    expect(terminal.written).toHaveLength(1);
    terminal.take();
    await expect.poll(() => terminal.written.length).toBe(2);
    expect(terminal.written[1]).toContain("frame 999;");
  });

  test("is not given more to print while it has not taken what there is", async () => {
    const terminal = new StuckTerminal();
    const screen = new Screen(terminal, { theme: () => theme, resized: () => undefined });
    screen.write("printed\n");
    let free = 0;
    screen.whenFree(() => (free += 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(free).toBe(0);
    terminal.take();
    await expect.poll(() => free).toBe(1);
  });

  test("is written to no faster than it was seen to go twice, and given more only after a while", () => {
    const rate = new TerminalRateEstimate();
    rate.took(1_000_000, 0);
    expect(rate.waitMs(0)).toBe(0);
    rate.waited(100, { from: 0, to: 100 });
    expect(rate.room).toBeCloseTo(500);
    rate.waited(90, { from: 100, to: 200 });
    expect(rate.room).toBeCloseTo(450);
    expect(rate.waitMs(200)).toBeGreaterThan(4000);
    rate.took(90, 6000);
    expect(rate.room).toBeCloseTo(450);
    expect(rate.waitMs(6000)).toBeCloseTo(125);
    rate.took(90, 20_000);
    expect(rate.room).toBeCloseTo(562.5);
  });

  test("that only stalled for a while is soon given as much as before", () => {
    const rate = new TerminalRateEstimate();
    rate.waited(1000, { from: 0, to: 60_000 });
    for (let write = 1; write <= 10; write += 1) rate.took(1000, 60_000 + write);
    expect(rate.room).toBeGreaterThan(1_000_000);
  });
});

interface LineOptions {
  /** Bytes per millisecond. */
  readonly speed: number;
  /** Milliseconds that an answer takes to come back. */
  readonly back: number;
  readonly answers?: boolean;
}

/** A line with buffers that are never full, to a terminal that says what it has read. Time is the test's. */
class BufferedLine implements TerminalOutput {
  readonly columns = 80;
  readonly rows = 24;
  readonly screen: Screen;
  /** What the terminal has read. */
  seen = "";
  #buffered = "";
  readonly #options: LineOptions;

  constructor(options: LineOptions) {
    this.#options = options;
    this.screen = new Screen(this, { theme: () => theme, resized: () => undefined });
  }

  write(text: string): boolean {
    this.#buffered += text;
    return true;
  }

  get inBuffers(): number {
    return this.#buffered.length;
  }

  /** Lets time go by until something holds; gives the milliseconds. */
  async until(holds: () => boolean): Promise<number> {
    const { speed, back, answers = true } = this.#options;
    let credit = 0;
    for (let ms = 0; ms < 120_000; ms += 1) {
      if (holds()) return ms;
      await vi.advanceTimersByTimeAsync(1);
      credit += speed;
      const passed = this.#buffered.slice(0, Math.floor(credit));
      credit -= passed.length;
      if (this.#buffered === "") credit = 0;
      this.#buffered = this.#buffered.slice(passed.length);
      const { length } = this.seen;
      this.seen += passed;
      const asked = this.seen.slice(Math.max(0, length - 3)).split("\u001b[5n").length - 1;
      for (let due = answers ? asked : 0; due > 0; due -= 1) setTimeout(this.screen.receipt, back);
    }
    throw new Error(`It did not happen. ${this.#buffered.length} bytes are on the way.`);
  }

  /** Presses a key: the frame shows it. Gives the milliseconds until it is seen. */
  async press(typed: string): Promise<number> {
    this.show(typed, true);
    return await this.until(() => this.seen.includes(typed));
  }

  show(typed: string, isAnswer: boolean): void {
    const lines = ["", "─".repeat(70), "working · 3 s · 200 tokens", `› ${typed}`].map((text) => line(text));
    this.screen.draw({ lines, caret: { x: 2, y: 3 }, columns: 80 }, isAnswer);
  }

  on(): void {}

  off(): void {}
}

describe("a line that says what was read", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  const many = Array.from({ length: 250 }, (_, index) => `line ${index}; ${"x".repeat(50)}`);
  const isPrinted = (link: BufferedLine) => () => link.seen.includes(many.at(-1) ?? "");

  test("of 9,600 baud shows each key soon, however much there is to print and to buffer it", async () => {
    const link = new BufferedLine({ speed: 0.96, back: 5 });
    link.show("", false);
    link.screen.askForReceipts();
    await link.until(() => link.inBuffers === 0);
    link.screen.write(`${many.join("\n")}\n`);
    for (let key = 0; key < 8; key += 1) {
      const pressedAt = key * 1500;
      await link.until(() => performance.now() >= pressedAt);
      expect(await link.press(`key ${key}`)).toBeLessThan(1500);
    }
    expect(isPrinted(link)()).toBe(false);
    await link.until(isPrinted(link));
    for (const each of many) expect(link.seen.split(each)).toHaveLength(2);
  });

  test("that is fast and far away is not waited for", async () => {
    const link = new BufferedLine({ speed: 10_000, back: 300 });
    link.screen.askForReceipts();
    link.show("", false);
    link.screen.write(`${many.join("\n")}\n`);
    expect(await link.until(isPrinted(link))).toBeLessThan(2000);
  });

  test("goes on without, when the terminal does not say it after all", async () => {
    const link = new BufferedLine({ speed: 10_000, back: 0, answers: false });
    link.screen.askForReceipts();
    link.screen.write(`${many.join("\n")}\n`);
    expect(await link.until(isPrinted(link))).toBeLessThan(4000);
    const other = new BufferedLine({ speed: 10_000, back: 0, answers: false });
    other.screen.askForReceipts();
    other.screen.write(`${many.join("\n")}\n`);
    other.screen.noReceipt();
    expect(await other.until(isPrinted(other))).toBeLessThan(200);
  });

  test("is not left while an answer is due, which another program would get", async () => {
    const link = new BufferedLine({ speed: 10_000, back: 150 });
    link.screen.askForReceipts();
    let left = false;
    void link.screen.leave().then(() => (left = true));
    expect(await link.until(() => left)).toBeGreaterThanOrEqual(150);
    link.screen.write("printed meanwhile\n");
    await link.until(() => link.inBuffers === 0);
    expect(link.seen).not.toContain("printed meanwhile");
    link.screen.comeBack();
    await link.until(() => link.seen.includes("printed meanwhile"));
  });
});
