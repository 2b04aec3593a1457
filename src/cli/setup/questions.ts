import { HostError } from "../../shared/errors/host-error.ts";
import { forTerminal } from "../../tui/terminal/terminal-text.ts";
import type { Io } from "../../app/process/io.ts";
import { LineInput } from "../terminal/line-input.ts";

/** A line of a menu. */
export interface Option<Value> {
  readonly label: string;
  readonly value: Value;
}

/** Questions on stderr, one line each. */
export class Questions implements Disposable {
  readonly #lines: LineInput;

  constructor(io: Io) {
    this.#lines = new LineInput(io, io.stderr);
  }

  say(text: string): void {
    this.#lines.say(`${forTerminal(text)}\n`);
  }

  /** A yes, or a no by default. */
  async confirm(question: string): Promise<boolean> {
    return /^y(es)?$/i.test(await this.line(`${question} [y/N] `));
  }

  /** One of the options by its number; Enter alone takes the first. */
  async choose<Value>(question: string, options: readonly Option<Value>[]): Promise<Value> {
    this.say(question);
    const width = String(options.length).length;
    for (const [place, { label }] of options.entries())
      this.say(`  ${String(place + 1).padStart(width)}) ${label}`);
    for (;;) {
      const option = options[Number((await this.line("Number (Enter for 1) > ")) || 1) - 1];
      if (option !== undefined) return option.value;
      this.say(`Please type a number from 1 to ${options.length}.`);
    }
  }

  async required(question: string): Promise<string> {
    for (;;) {
      const text = await this.line(question);
      if (text !== "") return text;
    }
  }

  /** A key, which is not shown; how long it is tells a paste that went wrong. */
  async key(question: string, { optional = false } = {}): Promise<string> {
    for (;;) {
      const key = await this.line(question, { hidden: true });
      if (key !== "") this.say(`•••••••• (${key.length} characters)`);
      if (key !== "" || optional) return key;
    }
  }

  /** @throws HostError `interrupted` when the person leaves */
  async line(question: string, options: { readonly hidden?: boolean } = {}): Promise<string> {
    this.#lines.prompt(question, options);
    const typed = await this.#lines.next(new AbortController().signal);
    if (options.hidden === true) this.#lines.print("\n");
    if (typed?.type === "line") return typed.text.trim();
    throw new HostError("interrupted", "Nothing was changed.");
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]();
  }
}
