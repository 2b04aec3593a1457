/** A line from the keyboard or from a pipe. */
export type TypedLine =
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "interrupt" }
  | { readonly type: "end" };

/** Lines from a person or a pipe, and text for them. */
export interface LineConsole {
  /** Somebody types: lines come one by one, not all at once. */
  readonly isTerminal: boolean;
  /** The next line, Ctrl+C or the end; `undefined` when `signal` aborts first. */
  next(signal: AbortSignal): Promise<TypedLine | undefined>;
  /** Shows the prompt, on a terminal. `hidden`: what is typed is not shown. */
  prompt(text: string, options?: { readonly hidden?: boolean }): void;
  /** Writes above the line that is being typed. */
  print(text: string): void;
  /** Resolves when what was printed is on its way, or `signal` aborts: whoever does not read holds the rest up. */
  drained(signal: AbortSignal): Promise<void>;
}
