import { Writable } from "node:stream";
import { lineWidth } from "./text/line.ts";
import type { Frame } from "./view/frame.ts";

/** The terminal's output, as the process has it. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: "resize", run: () => void): unknown;
  off(event: "resize", run: () => void): unknown;
}

/**
 * The terminal as Ink draws on it. A terminal that changes its width breaks the lines that are on it anew, so that
 * the frame takes other rows than it was drawn on. This erases exactly the frame, wherever it is now, before Ink
 * draws the next: what is printed above is never touched.
 */
export class Screen extends Writable {
  readonly isTTY = true;
  readonly #target: TerminalOutput;
  #frame: Frame = { lines: [], caret: undefined };
  #muted = false;
  #forget: () => void = () => undefined;
  #resized: () => void = () => undefined;

  constructor(target: TerminalOutput) {
    super({ decodeStrings: false });
    this.#target = target;
    target.on("resize", this.#onResize);
  }

  get columns(): number {
    return this.#target.columns ?? 80;
  }

  get rows(): number {
    return this.#target.rows ?? 24;
  }

  /** What is drawn; it must be known to be erased. */
  readonly drawn = (frame: Frame): void => {
    this.#frame = frame;
  };

  /**
   * @param forget - lets Ink forget what it has drawn
   * @param resized - tells what follows from another size, before Ink draws for it
   */
  attach({ forget, resized }: { readonly forget: () => void; readonly resized: () => void }): void {
    this.#forget = forget;
    this.#resized = resized;
  }

  /** Takes the frame away and lets it be drawn anew. */
  readonly redraw = (): void => {
    this.#erase();
    this.emit("resize");
  };

  /** Stops following the terminal. */
  detach(): void {
    this.#target.off("resize", this.#onResize);
  }

  override _write(chunk: unknown, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#muted) return done();
    // A write to a terminal that is gone fails; the signal that says so ends the client.
    this.#target.write(String(chunk), () => done());
  }

  readonly #onResize = (): void => {
    this.#erase();
    this.#resized();
    this.emit("resize");
  };

  #erase(): void {
    const up = this.#rowsAboveCaret();
    // Ink would erase as many rows as it has drawn, which may be more than there are of it, or fewer.
    this.#muted = true;
    this.#forget();
    this.#muted = false;
    this.write(`${up > 0 ? `\u001b[${up}A` : ""}\r\u001b[J`);
    this.#frame = { lines: [], caret: undefined };
  }

  /** Rows from the frame's top to the cursor, broken as the terminal breaks them now; rather too few than too many. */
  #rowsAboveCaret(): number {
    const { lines, caret } = this.#frame;
    const above = caret === undefined ? lines : lines.slice(0, caret.y);
    return above.reduce((sum, line) => sum + Math.max(1, Math.ceil(lineWidth(line) / this.columns)), 0);
  }
}
