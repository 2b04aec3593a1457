import { EventEmitter } from "node:events";
import { FrameWriter } from "./frame-writer.ts";
import type { Theme } from "./text/theme.ts";
import type { Frame } from "./view/frame.ts";

/** The terminal's output, as the process has it. */
export interface TerminalOutput {
  readonly columns?: number;
  readonly rows?: number;
  write(text: string, done?: (error?: Error | null) => void): boolean;
  on(event: "resize", run: () => void): unknown;
  off(event: "resize", run: () => void): unknown;
}

/** Milliseconds between two frames: nobody reads faster. */
const FRAME_MS = 33;
/** On a line that takes this many times longer than a frame may, frames come as seldom as they must. */
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
  #frameMs = FRAME_MS;
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

  /** Shows a frame, now or with the next one that there is time for. */
  readonly draw = (frame: Frame): void => {
    this.#next = frame;
    if (this.#timer !== undefined || this.#closed) return;
    const wait = this.#drawnAt + this.#frameMs - performance.now();
    if (wait <= 0) this.#draw();
    else this.#timer = setTimeout(this.#draw, wait);
  };

  /** Draws everything below the finished entries again. */
  readonly redraw = (): void => {
    this.#put(this.#writer.eraseAt(this.columns));
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
    this.#drawnAt = -Infinity;
    this.#resized();
  };

  readonly #draw = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const frame = this.#next ?? this.#last;
    // A frame for another width is broken by the terminal: the one that fits follows.
    if (frame === undefined || this.#closed || frame.columns !== this.columns) return;
    this.#next = undefined;
    this.#last = frame;
    const before = performance.now();
    const text = this.#writer.draw(frame);
    if (text !== "") this.#put(text);
    this.#drawnAt = performance.now();
    // A write to a slow line takes as long as the line needs: it must not be all that is done.
    this.#frameMs = Math.min(SLOWEST_FRAME_MS, Math.max(FRAME_MS, (this.#drawnAt - before) * 2));
  };

  /** A write to a terminal that is gone fails; the signal that says so ends the client. */
  #put(text: string): boolean {
    return this.#target.write(text, () => undefined);
  }
}
