import type { ExtraCommands, Toolset } from "../core/index.ts";

/** The folders that a session may read: relative paths start at `cwd`, nothing outside the roots is read. Absolute paths. */
export interface ReadableFolders {
  readonly cwd: string;
  readonly roots: readonly string[];
}

/** A server of the Model Context Protocol that a client names for a session. */
export type McpServerSpec =
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

/** Connections to MCP servers, made or on their way. Disposing of them closes them. */
export interface McpLinks extends AsyncDisposable {
  /** The tools of those that are connected now; the same list as long as nothing changed. */
  toolsets(): readonly Toolset[];
  /** Connects these instead, all of them anew. Calls that run go on to their end on the connections that they have. */
  reload(servers: readonly McpServerSpec[]): void;
}

/** A session that wants a client's MCP servers. */
export interface McpRequest {
  readonly sessionId: string;
  /** Absolute. */
  readonly cwd: string;
  /** Told of a server that cannot be reached, or was lost. */
  readonly failed: (server: string, reason: string) => void;
}

/** The services of the process that this surface runs in. */
export interface AcpPorts {
  readonly version: string;
  /** The text of a file; `undefined` when it is outside the roots, is no text, or has more than `limit` bytes. */
  readText(path: string, folders: ReadableFolders, limit: number): Promise<string | undefined>;
  /** Ends the background processes of a session; gives their number. */
  stopProcesses(sessionId: string): Promise<number>;
  /** Slash commands that come and go, beside the built-in ones: those of a session's folder too. */
  readonly moreCommands?: ExtraCommands;
  /** Begins to connect servers and returns at once. Without it clients are told that servers cannot be used. */
  connectMcp?(servers: readonly McpServerSpec[], request: McpRequest): McpLinks | undefined;
}
