import { describe, expect, test } from "vitest";
import { LinePace } from "../../src/tui/line-pace.ts";
import { Screen, type TerminalOutput } from "../../src/tui/screen.ts";
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

describe("a slow line", () => {
  test("gets the newest frame when it takes more: those in between are skipped, not queued", () => {
    const terminal = new StuckTerminal();
    const screen = new Screen(terminal, { theme: () => theme, resized: () => undefined });
    const draw = (text: string): void =>
      screen.draw({ lines: [line(text)], caret: undefined, columns: 40 }, true);
    for (let frame = 0; frame < 1000; frame += 1) draw(`frame ${frame};`);
    expect(terminal.written).toHaveLength(1);
    terminal.take();
    expect(terminal.written).toHaveLength(2);
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
    const pace = new LinePace();
    pace.took(1_000_000, 0);
    expect(pace.waitMs(0)).toBe(0);
    pace.waited(100, { from: 0, to: 100 });
    expect(pace.room).toBeCloseTo(500);
    pace.waited(90, { from: 100, to: 200 });
    expect(pace.room).toBeCloseTo(450);
    expect(pace.waitMs(200)).toBeGreaterThan(4000);
    pace.took(90, 6000);
    expect(pace.room).toBeCloseTo(450);
    expect(pace.waitMs(6000)).toBeCloseTo(125);
    pace.took(90, 20_000);
    expect(pace.room).toBeCloseTo(562.5);
  });

  test("that only stalled for a while is soon given as much as before", () => {
    const pace = new LinePace();
    pace.waited(1000, { from: 0, to: 60_000 });
    for (let write = 1; write <= 10; write += 1) pace.took(1000, 60_000 + write);
    expect(pace.room).toBeGreaterThan(1_000_000);
  });
});
