import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import type { LineConsole, TypedLine } from "../../tui/plain/lines.ts";
import { type Io, linesFor } from "../../app/process/io.ts";

/**
 * Reads lines one after the other; with a terminal it edits them and shows a prompt. Output is only
 * appended, except for the line that a person is editing.
 */
export class LineInput implements LineConsole, Disposable {
  readonly isTerminal: boolean;
  readonly #queue: TypedLine[] = [];
  readonly #stdin: Io["stdin"];
  #lines: Interface;
  #disposed = false;
  readonly #output: MutableOutput;
  readonly #edits: boolean;
  readonly #offSignal: () => void;
  /** The prompt that is the last thing on the terminal, but for what was typed after it. */
  #shown: string | undefined;
  /** The prompt after which something was typed of which nothing came yet: again, it would stand before its answer. */
  #answered: string | undefined;
  #wake: () => void = () => undefined;

  /** @param output - where prompts and what is typed are shown */
  constructor(io: Io, output: Io["stdout"]) {
    this.isTerminal = io.stdin.isTTY === true;
    this.#edits = io.stdin.isTTY === true && output.isTTY === true;
    this.#output = new MutableOutput(output);
    this.#stdin = io.stdin;
    this.#lines = this.#open();
    this.#offSignal = io.onSignal("SIGINT", () => this.#put({ type: "interrupt" }));
  }

  #open(): Interface {
    const lines = createInterface({
      input: this.#stdin,
      output: this.#output,
      terminal: this.#edits,
      prompt: "",
    });
    lines.on("line", (text) => {
      this.#answered = text.trim() === "" ? undefined : this.#shown;
      this.#shown = undefined;
      this.#put({ type: "line", text });
    });
    lines.on("SIGINT", () => this.#put({ type: "interrupt" }));
    lines.on("close", () => this.#closed());
    return lines;
  }

  /** Ctrl+D on a terminal is a wish to leave, which may be taken back; the end of a pipe is for good. */
  #closed(): void {
    if (this.#disposed) return;
    this.#shown = undefined;
    if (this.#edits && !this.#stdin.readableEnded && !this.#stdin.destroyed) this.#lines = this.#open();
    this.#put({ type: "end" });
  }

  async next(signal: AbortSignal): Promise<TypedLine | undefined> {
    while (this.#queue.length === 0 && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
    }
    return this.#queue.shift();
  }

  prompt(text: string, { hidden = false } = {}): void {
    if (!this.#edits) return;
    if (this.#shown !== text && this.#answered !== text) {
      this.#lines.setPrompt(text);
      // `prompt()` of the interface would move the cursor and clear the line.
      this.print(text + this.#lines.line);
      this.#shown = text;
    }
    this.#output.muted = hidden;
  }

  /** Prints lines for people: on a terminal they are broken between words. */
  say(text: string): void {
    this.print(linesFor({ isTTY: this.#edits, columns: this.#output.columns }, text));
  }

  print(text: string): void {
    this.#output.muted = false;
    this.#output.write(this.#shown === undefined ? text : `\n${text}`);
    this.#shown = undefined;
    this.#answered = undefined;
  }

  async drained(signal: AbortSignal): Promise<void> {
    await this.#output.drained(signal);
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#offSignal();
    this.#lines.close();
  }

  #put(typed: TypedLine): void {
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

  async drained(signal: AbortSignal): Promise<void> {
    const target = this.#target;
    if (!target.writableNeedDrain || target.destroyed || signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const events = ["drain", "close"] as const;
    for (const event of events) target.once(event, resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
    await promise;
    for (const event of events) target.off(event, resolve);
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    // Done at once: what waited in line here would meet a later `muted`.
    if (!this.muted) this.#target.write(chunk);
    done();
  }
}
