import { EventEmitter } from "node:events";
import { FrameWriter } from "./frame-writer.ts";
import { TerminalFlowControl } from "./flow-control.ts";
import { type PrintedEntry, PrintedRows } from "./printed-rows.ts";
import { sizeOf, type TerminalOutput } from "./terminal-output.ts";
import type { Theme } from "../text/theme.ts";
import type { ScreenFrame } from "../view/frame.ts";

/** Milliseconds between two frames: nobody reads faster. */
const FRAME_MS = 33;
/**
 * After a change of size nothing is drawn for so long, in milliseconds. What was drawn a moment before the next one may
 * or may not be broken anew by the terminal: nobody could say how much of it to take away.
 */
const CALM_MS = 120;
/** Before the terminal is somebody else's, an answer is waited for so long: one that is sure to come, and the first. */
const LATE_MS = 2000;
const FIRST_LATE_MS = 200;

/**
 * The terminal. Ink prints finished entries on it, as its output stream; the frame below them is drawn here: Ink draws
 * from the bottom of the window, which is not where it was once the window has changed.
 */
export class Screen extends EventEmitter {
  readonly isTTY = true;
  readonly #target: TerminalOutput;
  readonly #writer: FrameWriter;
  readonly #resized: () => void;
  readonly #flowControl = new TerminalFlowControl();
  readonly #printed = new PrintedRows();
  #next: ScreenFrame | undefined;
  #last: ScreenFrame | undefined;
  /** The next frame shows what was typed: on a slow line that comes before everything else. */
  #isAnswer = false;
  readonly #unprinted: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = -Infinity;
  /** Nothing is drawn before: a window that is being dragged has another size in a moment. */
  #calmAt = -Infinity;
  #whenFree: (() => void) | undefined;
  #whenQuiet: (() => void) | undefined;
  #isAway = false;
  #closed = false;

  /** @param resized - tells what follows from another size, before the frame is drawn for it */
  constructor(
    target: TerminalOutput,
    options: { readonly theme: () => Theme; readonly resized: () => void },
  ) {
    super();
    this.#target = target;
    this.#writer = new FrameWriter(options.theme, () => performance.now());
    this.#resized = options.resized;
    target.on("resize", this.#onResize);
  }

  get columns(): number {
    return sizeOf(this.#target).columns;
  }

  get rows(): number {
    return sizeOf(this.#target).rows;
  }

  /**
   * Shows a frame, now or with the next one that there is time for.
   *
   * @param isAnswer - it shows what was typed
   */
  readonly draw = (frame: ScreenFrame, isAnswer: boolean): void => {
    this.#next = frame;
    this.#isAnswer ||= isAnswer;
    if (this.#timer === undefined || isAnswer) this.#writeNow();
  };

  /** Calls back once, when there is time to print more. Gives what takes that back. */
  readonly whenFree = (run: () => void): (() => void) => {
    this.#whenFree = run;
    const timer = setTimeout(this.#tellFree, 0);
    return () => {
      clearTimeout(timer);
      if (this.#whenFree === run) this.#whenFree = undefined;
    };
  };

  /** Draws everything below the finished entries again. */
  readonly redraw = (): void => {
    this.#put(this.#writer.eraseAt(this.columns));
    this.#next ??= this.#last;
    this.#writeNow();
  };

  /** What Ink writes: finished entries, and modes of the terminal. */
  write(text: string, done: (error?: Error | null) => void = () => undefined): boolean {
    queueMicrotask(done);
    if (!text.endsWith("\n")) return this.#put(text);
    // An empty line is Ink's farewell, also from a process that is dying: the frame is not its to end.
    if (this.#closed || text === "\n") return true;
    const lines = text.slice(0, -1).split("\n");
    for (const line of lines) this.#unprinted.push(line);
    this.#printed.handed(lines.length);
    // The frame that follows from the same change comes at once, else the last one is put back.
    queueMicrotask(this.#writeNow);
    return true;
  }

  /** Learns which entries were written last, so that they can be taken back. */
  readonly began = (entries: readonly PrintedEntry[]): void => this.#printed.began(entries, this.rows);

  /**
   * Erases what was printed from an entry on; all that the window has when that begins above it. Nothing may wait to be
   * printed.
   *
   * @returns whether no more was erased than that, and all of it
   */
  readonly takeBack = (key: number): boolean => {
    const { rows, whole } = this.#printed.takeBack(key, this.rows);
    this.#put(this.#writer.takeBack(rows));
    this.#next ??= this.#last;
    this.#writeNow();
    return whole;
  };

  /** Begins to ask the terminal how much of what was written it has read. */
  askForReceipts(): void {
    this.#put(this.#flowControl.readWindow.ask(performance.now()));
  }

  /** An answer to that is on its way. */
  get isReceiptDue(): boolean {
    return this.#flowControl.readWindow.dueMs(performance.now()) !== undefined;
  }

  /** The terminal has answered that. */
  readonly receipt = (): void => {
    this.#flowControl.readWindow.came(performance.now());
    this.#heard();
    this.#askIfDue();
  };

  /** The terminal has answered what was asked after it: if that has no answer yet, it gets none. */
  readonly noReceipt = (): void => {
    this.#flowControl.readWindow.cameNone();
    this.#heard();
  };

  /**
   * Leaves the terminal to another program. Resolves when nothing that was asked can be answered any more: the answer
   * would be typed into that program.
   */
  async leave(): Promise<void> {
    this.#put(this.#writer.eraseAt(this.columns));
    this.#isAway = true;
    await this.#quiet();
  }

  /** The terminal is here again. */
  comeBack(): void {
    this.#isAway = false;
    this.#printed.moved();
    this.redraw();
  }

  /** Takes the frame away and draws no more. Resolves when nothing that was asked can be answered any more. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#target.off("resize", this.#onResize);
    if (!this.#closed) {
      if (this.#unprinted.length > 0) this.#put(this.#writer.print(this.#unprinted, undefined));
      this.#put(`${this.#writer.eraseAt(this.columns)}\u001b[?25h`);
    }
    this.#closed = true;
    await this.#quiet();
  }

  readonly #onResize = (): void => {
    if (!this.#isAway) this.#put(this.#writer.eraseResized(sizeOf(this.#target)));
    this.#printed.moved();
    this.#calmAt = performance.now() + CALM_MS;
    this.#resized();
  };

  /** Writes what there is to write and room for, and comes again when there may be more. */
  readonly #writeNow = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // Who is stuck or away comes back here when that ends.
    if (this.#closed || this.#isAway || this.#flowControl.isStuck) return;
    const now = performance.now();
    const room = this.#flowControl.room(now);
    if (room <= 0 && !this.#isAnswer) return this.#later(this.#flowControl.waitMs(now));
    const lines = this.#takeLines(room);
    const early = lines.length > 0 ? 0 : this.#drawnAt + FRAME_MS - now;
    const wait = Math.max(this.#calmAt - now, early);
    if (lines.length > 0) this.#next ??= this.#last;
    const frame = wait > 0 ? undefined : this.#takeFrame(now);
    if (lines.length > 0) this.#put(this.#writer.print(lines, frame));
    else if (frame !== undefined) this.#put(this.#writer.draw(frame));
    this.#printed.wrote(lines.length, frame?.lines.length ?? 0);
    if (this.#unprinted.length > 0 || (wait > 0 && this.#next !== undefined)) this.#later(Math.max(0, wait));
    else this.#tellFree();
  };

  #later(ms: number): void {
    this.#timer = setTimeout(this.#writeNow, ms);
  }

  /** As many of the finished lines as there is room for, one at least if there is any. */
  #takeLines(room: number): readonly string[] {
    if (room <= 0) return [];
    let bytes = 0;
    const end = this.#unprinted.findIndex((line, index) => {
      bytes += Buffer.byteLength(line);
      return index > 0 && bytes > room;
    });
    return this.#unprinted.splice(0, end === -1 ? Infinity : end);
  }

  /** The frame that is to be drawn; not one for another width: the one that fits follows. */
  #takeFrame(now: number): ScreenFrame | undefined {
    const frame = this.#next;
    if (frame?.columns !== this.columns) return undefined;
    this.#next = undefined;
    this.#last = frame;
    this.#isAnswer = false;
    this.#drawnAt = now;
    return frame;
  }

  /** Tells who waits for it that there is time to print more. */
  readonly #tellFree = (): void => {
    const run = this.#whenFree;
    if (run === undefined || this.#isAway || this.#flowControl.isStuck || this.#unprinted.length > 0) return;
    const now = performance.now();
    if (this.#flowControl.room(now) <= 0) {
      if (this.#timer === undefined) this.#later(this.#flowControl.waitMs(now));
      return;
    }
    this.#whenFree = undefined;
    run();
  };

  /** A write to a terminal that is gone fails; the signal that says so ends the client. */
  #put(text: string): boolean {
    if (text === "") return true;
    const from = performance.now();
    const bytes = Buffer.byteLength(text);
    this.#flowControl.begins(bytes, from);
    let waits = false;
    const taken = this.#target.write(text, () => {
      if (!waits) return;
      this.#flowControl.went(bytes, { from, to: performance.now() });
      this.#writeNow();
    });
    waits = (this.#target.writableLength ?? 0) > 0;
    if (waits) this.#flowControl.waits();
    else this.#flowControl.took(bytes, from);
    this.#askIfDue();
    return taken;
  }

  #askIfDue(): void {
    const { readWindow } = this.#flowControl;
    // Afterwards nobody would read the answer.
    if (readWindow.isDue && !this.#closed && !this.#isAway) this.#put(readWindow.ask(performance.now()));
  }

  /** The terminal has said something of the line. */
  #heard(): void {
    this.#whenQuiet?.();
    this.#writeNow();
  }

  /** Resolves when no answer is due, or none comes. */
  async #quiet(): Promise<void> {
    const { readWindow } = this.#flowControl;
    if (!this.isReceiptDue) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenQuiet = (): void => {
      if (!this.isReceiptDue) resolve();
    };
    const timer = setTimeout(resolve, readWindow.areGiven ? LATE_MS : FIRST_LATE_MS);
    await promise;
    clearTimeout(timer);
  }
}
