import type { Clock } from "../../shared/async/clock.ts";
import type { ProcessServer, WebServer } from "./server.ts";

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
  readonly server: ProcessServer;
  /** Absolute. */
  readonly cwd: string;
  readonly session: string;
  /** Takes what it prints. */
  readonly output: (chunk: Uint8Array) => void;
  /** Told of the number of bytes that it complains in. */
  readonly complained: (bytes: number) => void;
}

/** Starts programs; whoever gives it sees to it that none outlives its host. */
export type StartServer = (request: StartRequest) => Promise<ServerProcess>;

/** `fetch` that goes only where a server may send us. */
export type WebFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** A way to one server, closed with the connection to it. */
export interface ServerWeb extends AsyncDisposable {
  readonly fetch: WebFetch;
}

/** What a server asks the session's model. */
export interface SampleRequest {
  readonly server: string;
  /** The session whose call the server works on. */
  readonly session: string;
  readonly system: string;
  readonly messages: readonly { readonly role: "user" | "assistant"; readonly text: string }[];
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

export interface Sample {
  readonly model: string;
  readonly text: string;
  readonly isCut: boolean;
}

/** Everything outside, as connections to servers get it. */
export interface McpHost {
  readonly version: string;
  readonly clock: Clock;
  readonly start: StartServer;
  readonly web: (server: WebServer) => ServerWeb;
  /** Absolute: what programs start in, and the root of servers that are asked nothing by any session. */
  readonly cwd: string;
  /** To whom the programs belong in the ledger of processes. */
  readonly session: string;
  /** Asks a session's model. Without it servers are refused. */
  readonly sample?: (request: SampleRequest) => Promise<Sample>;
}
