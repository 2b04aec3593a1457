import { EventEmitter } from "node:events";
import { FrameWriter } from "./frame-writer.ts";
import { LinePace } from "./line-pace.ts";
import type { Theme } from "./text/theme.ts";
import type { Frame } from "./view/frame.ts";

/** The terminal's output, as the process has it. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  /** Bytes that wait for the terminal to take them. */
  readonly writableLength?: number;
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: "resize", run: () => void): unknown;
  off(event: "resize", run: () => void): unknown;
}

/** Milliseconds between two frames: nobody reads faster. */
const FRAME_MS = 33;
/**
 * After a change of size nothing is drawn for so long, in milliseconds. What was drawn a moment before the next one may
 * or may not be broken anew by the terminal: nobody could say how much of it to take away.
 */
const CALM_MS = 120;
/** However slow the line is, so often there is a frame, in milliseconds. */
const SLOWEST_FRAME_MS = 2000;

/**
 * The terminal. Ink prints finished entries on it, as its output stream; the frame below them is drawn here: Ink draws
 * from the bottom of the window, which is not where it was once the window has changed.
 */
export class Screen extends EventEmitter {
  readonly isTTY = true;
  readonly #target: TerminalOutput;
  readonly #writer: FrameWriter;
  readonly #resized: () => void;
  #next: Frame | undefined;
  #last: Frame | undefined;
  #timer: NodeJS.Timeout | undefined;
  #drawnAt = -Infinity;
  readonly #pace = new LinePace();
  /** Writes that the terminal has not taken: what is drawn meanwhile is skipped, not queued. */
  #waiting = 0;
  /** Nothing is drawn before: a window that is being dragged has another size in a moment. */
  #calmAt = -Infinity;
  #whenFree: (() => void) | undefined;
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
    return this.#target.columns ?? 80;
  }

  get rows(): number {
    return this.#target.rows ?? 24;
  }

  /**
   * Shows a frame, now or with the next one that there is time for.
   *
   * @param isAnswer - it shows what was typed: on a slow line that comes before everything else
   */
  readonly draw = (frame: Frame, isAnswer: boolean): void => {
    this.#next = frame;
    if (this.#closed || this.#waiting > 0 || (this.#timer !== undefined && !isAnswer)) return;
    clearTimeout(this.#timer);
    const now = performance.now();
    const busy = isAnswer ? 0 : Math.min(SLOWEST_FRAME_MS, this.#pace.waitMs(now));
    const wait = Math.max(this.#drawnAt + FRAME_MS - now, busy);
    if (wait <= 0) this.#draw();
    else this.#timer = setTimeout(this.#draw, wait);
  };

  /** Characters that may be printed with one frame. */
  get room(): number {
    return this.#pace.room;
  }

  /** Calls back once, when there is time to print more. Gives what takes that back. */
  readonly whenFree = (run: () => void): (() => void) => {
    const look = (): void => {
      if (this.#waiting > 0) this.#whenFree = look;
      else {
        const wait = this.#pace.waitMs(performance.now());
        if (wait <= 0) run();
        else timer = setTimeout(look, wait);
      }
    };
    let timer: NodeJS.Timeout | undefined = setTimeout(look, 0);
    return () => {
      clearTimeout(timer);
      timer = undefined;
      if (this.#whenFree === look) this.#whenFree = undefined;
    };
  };

  /** Draws everything below the finished entries again. */
  readonly redraw = (): void => {
    this.#put(this.#writer.eraseAt(this.columns));
    this.#next ??= this.#last;
    this.#draw();
  };

  /** What Ink writes: finished entries, and modes of the terminal. */
  write(text: string, done: (error?: Error | null) => void = () => undefined): boolean {
    queueMicrotask(done);
    if (!text.endsWith("\n")) return this.#put(text);
    // An empty line is Ink's farewell, also from a process that is dying: the frame is not its to end.
    if (this.#closed || text === "\n") return true;
    this.#put(this.#writer.print(text));
    // The frame that follows from the same change comes at once, else the last one is put back.
    this.#next ??= this.#last;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    queueMicrotask(this.#draw);
    return true;
  }

  /** Takes the frame away and draws no more. */
  close(): void {
    clearTimeout(this.#timer);
    this.#target.off("resize", this.#onResize);
    if (!this.#closed) this.#put(`${this.#writer.eraseAt(this.columns)}\u001b[?25h`);
    this.#closed = true;
  }

  readonly #onResize = (): void => {
    this.#put(this.#writer.eraseAt(this.columns));
    this.#calmAt = performance.now() + CALM_MS;
    this.#resized();
  };

  readonly #draw = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const restless = this.#calmAt - performance.now();
    if (restless > 0 && !this.#closed) {
      this.#timer = setTimeout(this.#draw, restless);
      return;
    }
    const frame = this.#next ?? this.#last;
    // A frame for another width is broken by the terminal: the one that fits follows.
    if (frame === undefined || this.#closed || this.#waiting > 0 || frame.columns !== this.columns) return;
    this.#next = undefined;
    this.#last = frame;
    const text = this.#writer.draw(frame);
    if (text !== "") this.#put(text);
    this.#drawnAt = performance.now();
  };

  /** A write to a terminal that is gone fails; the signal that says so ends the client. */
  #put(text: string): boolean {
    const from = performance.now();
    const bytes = Buffer.byteLength(text);
    let waits = false;
    const taken = this.#target.write(text, () => {
      if (!waits) return;
      this.#waiting -= 1;
      this.#pace.waited(bytes, { from, to: performance.now() });
      if (this.#waiting === 0) this.#goOn();
    });
    waits = (this.#target.writableLength ?? 0) > 0;
    if (waits) this.#waiting += 1;
    else this.#pace.took(bytes, from);
    return taken;
  }

  /** The terminal has taken everything. */
  #goOn(): void {
    const run = this.#whenFree;
    this.#whenFree = undefined;
    if (this.#next !== undefined) this.#draw();
    run?.();
  }
}
