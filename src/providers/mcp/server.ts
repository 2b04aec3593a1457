/** A server of the Model Context Protocol, as whoever wants it names it. */
export type McpServer =
  | {
      readonly type: "stdio";
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | {
      readonly type: "http" | "sse";
      readonly name: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
    };

/** A server's program, running. */
export interface ServerProcess {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Resolves with what is to be said of its end. */
  readonly ended: Promise<string>;
  /** Ends it with all that it started; what it takes is not waited for. */
  kill(): void;
}

export interface StartRequest {
  readonly server: Extract<McpServer, { type: "stdio" }>;
  /** Absolute. */
  readonly cwd: string;
  readonly session: string;
  /** Takes what it prints. */
  readonly output: (chunk: Uint8Array) => void;
}

/** Starts programs; whoever gives it sees to it that none outlives its host. */
export type StartServer = (request: StartRequest) => Promise<ServerProcess>;
