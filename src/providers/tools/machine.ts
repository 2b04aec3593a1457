/** The parts of Node's `process` that the tools use. */
export interface Machine {
  readonly platform: string;
  readonly pid: number;
  readonly execPath: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Sends a signal to a process, or with a negative number to a process group; 0 only asks whether it is there. */
  kill(pid: number, signal: string | number): unknown;
}
