/** The files as a client's editor has them. Paths are absolute and were checked by the tool. */
export interface ClientFiles {
  /** The text that the editor shows, saved or not; `undefined` when it cannot say. Never rejects. */
  readText?(path: string, signal: AbortSignal): Promise<string | undefined>;
  /** Lets the editor save a whole text. `false` when it did not; what reached the disk is for the caller to look at. Never rejects. */
  writeText?(path: string, text: string, signal: AbortSignal): Promise<boolean>;
}

/** A command that is to run in a terminal of the client. */
export interface TerminalRequest {
  readonly callId: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Bytes of output that are kept; the newest stay. */
  readonly outputLimit: number;
  readonly signal: AbortSignal;
}

/** A command that runs at a client's. Disposing it kills what still runs and frees it. */
export interface ClientTerminal extends AsyncDisposable {
  readonly id: string;
  /** Its output so far. Rejects when the client is gone. */
  output(): Promise<{ readonly text: string; readonly isCut: boolean }>;
  /** Its end. Rejects when the client is gone or does not say. */
  readonly exited: Promise<{ readonly code: number | null; readonly signal: string | null }>;
}

/** The terminals of a client, in which its user watches a command as it runs. */
export interface ClientTerminals {
  /**
   * Resolves `undefined` when the client cannot run it; the caller then runs it itself.
   *
   * @throws HostError `tool_failed` when it does not say whether it does
   */
  start(request: TerminalRequest): Promise<ClientTerminal | undefined>;
}
