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

/** The size of a terminal; the usual one where nobody has set any, which the system says as 0. */
export function sizeOf({ columns = 0, rows = 0 }: Pick<TerminalOutput, "columns" | "rows">): {
  readonly columns: number;
  readonly rows: number;
} {
  return { columns: columns > 0 ? columns : 80, rows: rows > 0 ? rows : 24 };
}
