import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Io } from "../io.ts";

/** What comes from the keyboard, or from a pipe. */
export type Typed =
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "interrupt" }
  | { readonly type: "end" };

/** Reads lines one after the other; with a terminal it edits them and shows a prompt. */
export class LineInput implements Disposable {
  readonly #queue: Typed[] = [];
  readonly #lines;
  readonly #output: MutableOutput;
  readonly #isTerminal: boolean;
  readonly #offSignal: () => void;
  #wake: () => void = () => undefined;

  /** @param output - where prompts and what is typed are shown */
  constructor(io: Io, output: Io["stdout"]) {
    this.#isTerminal = io.stdin.isTTY === true && output.isTTY === true;
    this.#output = new MutableOutput(output);
    this.#lines = createInterface({
      input: io.stdin,
      output: this.#output,
      terminal: this.#isTerminal,
      prompt: "",
    });
    this.#lines.on("line", (text) => this.#put({ type: "line", text }));
    this.#lines.on("SIGINT", () => this.#put({ type: "interrupt" }));
    this.#lines.on("close", () => this.#put({ type: "end" }));
    this.#offSignal = io.onSignal("SIGINT", () => this.#put({ type: "interrupt" }));
  }

  /** The next line, Ctrl+C or the end; `undefined` when `signal` aborts first. */
  async next(signal: AbortSignal): Promise<Typed | undefined> {
    while (this.#queue.length === 0 && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
    return this.#queue.shift();
  }

  /** Shows the prompt, on a terminal. `hidden`: what is typed is not shown. */
  prompt(text: string, { hidden = false } = {}): void {
    if (!this.#isTerminal) return;
    this.#output.muted = false;
    this.#lines.setPrompt(text);
    this.#lines.prompt(true);
    this.#output.muted = hidden;
  }

  /** Writes above the line that is being typed. */
  print(text: string): void {
    this.#output.muted = false;
    this.#output.write(text);
  }

  [Symbol.dispose](): void {
    this.#offSignal();
    this.#lines.close();
  }

  #put(typed: Typed): void {
    this.#queue.push(typed);
    this.#wake();
  }
}

/** Passes text on, or swallows it. */
class MutableOutput extends Writable {
  muted = false;
  readonly #target: Writable & { readonly columns?: number };

  constructor(target: Writable & { readonly columns?: number }) {
    super({ decodeStrings: false });
    this.#target = target;
  }

  get columns(): number {
    return this.#target.columns ?? 80;
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // Done at once: what waited in line here would meet a later `muted`.
    if (!this.muted) this.#target.write(chunk);
    done();
  }
}
