import type { ToolContext } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { McpLoginPorts } from "./oauth/login.ts";
import type { ServerWeb } from "./server-web.ts";
import type { ProcessServer, WebServer } from "./server.ts";

/** A server's program, running. */
export interface ServerProcess {
  /** Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** Resolves with the reason of its end, in words. */
  readonly ended: Promise<string>;
  /** Ends it with all that it started; what it takes is not waited for. */
  kill(): void;
}

/** The wish to start a server's program. */
export interface StartRequest {
  readonly server: ProcessServer;
  /** Absolute. */
  readonly cwd: string;
  readonly session: string;
  /** Takes what it prints. */
  readonly output: (chunk: Uint8Array) => void;
  /** Told of the number of bytes that it complains in. */
  readonly complained: (bytes: number) => void;
}

/** A starter of programs that sees to it that none outlives the host. */
export type StartServer = (request: StartRequest) => Promise<ServerProcess>;

/** A question of a server to the session's model. */
export interface SampleRequest {
  readonly server: string;
  /** The session whose call the server works on. */
  readonly session: string;
  readonly system: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** The answer of the model. */
export interface Sample {
  readonly model: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** The services outside that clients of servers need. */
export interface McpHost {
  readonly version: string;
  readonly clock: Clock;
  readonly start: StartServer;
  readonly web: (server: WebServer) => ServerWeb;
  /** The login at a server; absent for servers that are not the owner's own. */
  readonly login?: (server: WebServer) => McpLoginPorts;
  /** Absolute. Programs start in it, and it is the root of servers that no session is calling. */
  readonly cwd: string;
  /** To whom the programs belong in the ledger of processes. */
  readonly session: string;
  /** Asks a session's model. Without it servers are refused. */
  readonly sample?: (request: SampleRequest) => Promise<Sample>;
  /**
   * Sees to it that the variables are set which a server lacks; gives why one is not, in words. Without it a server that
   * lacks one stays away.
   */
  readonly provideKeys?: (
    server: { readonly name: string; readonly missing: readonly string[] },
    context: ToolContext,
  ) => Promise<string | undefined>;
}
