/** What a session may read: relative paths start at `cwd`, nothing outside the roots is read. Absolute paths. */
export interface Reach {
  readonly cwd: string;
  readonly roots: readonly string[];
}

/** What the surface needs of the process that it runs in. */
export interface AcpPorts {
  readonly version: string;
  /** The text of a file inside the roots; `undefined` for what is outside, is no text, or has more than `limit` bytes. */
  readText(path: string, reach: Reach, limit: number): Promise<string | undefined>;
  /** Ends the background processes of a session; gives their number. */
  stopProcesses(sessionId: string): Promise<number>;
}
