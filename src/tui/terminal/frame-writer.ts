import { type Line, lineWidth } from "../text/line.ts";
import type { Theme } from "../text/theme.ts";
import type { ScreenFrame } from "../view/frame.ts";

const NONE_OUT = { lines: 0, columns: 0, rows: 0 };
const NO_FRAME: ScreenFrame = { lines: [], caret: undefined, columns: 0 };
/** What was written so short a time ago may not be on the terminal yet, in milliseconds. */
const ON_ITS_WAY_MS = 100;

const BEGIN = "\u001b[?2026h\u001b[?25l";
const END = "\u001b[?2026l";
/**
 * Erases from the beginning of the line down. Not from the first column: tmux takes that at the top of the window for a
 * clear of the whole screen, and keeps what stood there in the scrollback.
 */
const ERASE_DOWN = "\u001b[2K\u001b[C\u001b[J\r";
const ERASE_LINE = "\u001b[2K";
const SHOW_CURSOR = "\u001b[?25h";
const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : "");
const right = (columns: number): string => (columns > 0 ? `\u001b[${columns}C` : "");

/**
 * A writer of frames. It finds everything from the cursor's position, which terminals keep with their text. When it
 * cannot know how many rows a frame takes now, it erases one row too few rather than a row of finished text.
 */
export class FrameWriter {
  readonly #theme: () => Theme;
  readonly #now: () => number;
  #shown = NO_FRAME;
  /** The lines as they were written, and when. */
  #rows: readonly { readonly text: string; readonly at: number }[] = [];
  /** Lines of frames right above the window, and the size that it had then. */
  #pushedOut = NONE_OUT;

  constructor(theme: () => Theme, now: () => number) {
    this.#theme = theme;
    this.#now = now;
  }

  /** Shows a frame in the place of the last one; lines that stay the same are not written. Empty when all does. */
  draw(frame: ScreenFrame): string {
    const { ansi } = this.#theme();
    const home = `${up(cursorRow(this.#shown))}\r`;
    const shrinks = frame.lines.length < this.#rows.length;
    const kept = shrinks ? [] : this.#rows;
    const at = this.#now();
    const rows = frame.lines.map((line, index) => {
      const text = ansi(line);
      const old = kept[index];
      return old?.text === text ? old : { text, at };
    });
    const body = rows
      .map((row, index) => (row === kept[index] ? "" : `${ERASE_LINE}${row.text}`))
      .join("\r\n");
    const same = rows.length === kept.length && rows.every((row, index) => row === kept[index]);
    const before = this.#shown.caret;
    this.#shown = frame;
    this.#rows = rows;
    if (same && frame.caret?.x === before?.x && frame.caret?.y === before?.y) return "";
    return `${BEGIN}${home}${shrinks ? ERASE_DOWN : ""}${body}${this.#placeCaret(frame)}${END}`;
  }

  /** Writes lines above the frame, for ever, and the frame again below them; without one it is gone until it is drawn. */
  print(lines: readonly string[], frame: ScreenFrame | undefined): string {
    const erase = this.#eraseFrom(cursorRow(this.#shown));
    const text = lines.map((each) => `${each}\r\n`).join("");
    return `${BEGIN}${erase}${text}${frame === undefined ? END : this.draw(frame)}`;
  }

  /** Erases the frame and rows of printed text above it. */
  takeBack(rows: number): string {
    return `${BEGIN}${this.#eraseFrom(cursorRow(this.#shown) + rows)}${END}`;
  }

  /** Takes the frame away on a terminal that may have changed its width, and with it how it breaks lines. */
  eraseAt(columns: number): string {
    return this.#eraseFrom(this.#rowsAboveCaret(columns));
  }

  /**
   * Takes the frame away on a terminal of another size. What of it a lower window has no room for leaves that at its top,
   * and comes back with a higher one.
   */
  eraseResized({ columns, rows }: { readonly columns: number; readonly rows: number }): string {
    const last = this.#pushedOut;
    // Lines that are broken anew bring others back, nobody knows how many.
    const lines = columns === last.columns ? last.lines : 0;
    const back = Math.min(lines, Math.max(0, rows - last.rows));
    // The cursor is in the window, and each line is a row at least.
    const out = Math.max(0, cursorRow(this.#shown) - (rows - 1));
    const erase = this.#eraseFrom(this.#rowsAboveCaret(columns) + back);
    this.#pushedOut = { lines: lines - back + out, columns, rows };
    return erase;
  }

  #eraseFrom(rows: number): string {
    // The frame may go elsewhere now.
    this.#pushedOut = NONE_OUT;
    this.#shown = NO_FRAME;
    this.#rows = [];
    return `${up(rows)}\r${ERASE_DOWN}`;
  }

  #placeCaret({ lines, caret }: ScreenFrame): string {
    if (caret === undefined) return "";
    return `${up(lines.length - 1 - caret.y)}\r${right(caret.x)}${SHOW_CURSOR}`;
  }

  /** Rows from the frame's top to the cursor, broken as the terminal breaks them now. */
  #rowsAboveCaret(columns: number): number {
    const above = this.#shown.lines.slice(0, cursorRow(this.#shown));
    const settled = this.#now() - ON_ITS_WAY_MS;
    return above.reduce((sum, line, index) => {
      const { at } = this.#rows[index] ?? { at: Infinity };
      // What comes to a terminal after it has changed is not broken anew.
      return sum + (at > settled ? 1 : rowsOf(line, columns));
    }, 0);
  }
}

/** Without a caret the cursor is behind the last line. */
const cursorRow = ({ lines, caret }: ScreenFrame): number => caret?.y ?? Math.max(0, lines.length - 1);

const rowsOf = (line: Line, columns: number): number => Math.max(1, Math.ceil(lineWidth(line) / columns));
