import type { IncomingHttpHeaders } from "node:http";

/** A request as the server saw it. */
export interface RecordedRequest {
  /** Counts from 1 per server. */
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** As it arrived. */
  readonly text: string;
  /** Parsed, or `undefined` when it is no JSON. */
  readonly body: unknown;
  /** The client's port: requests with the same one came over one connection. */
  readonly port: number;
  /** Milliseconds on the server's own scale. */
  readonly at: number;
  /** Resolves when a `stall` was reached and all before it is written. */
  readonly stalled: Promise<void>;
  /** Resolves when the answer is over: `finished`, or `closed` when the other side hung up or the server broke it. */
  readonly over: Promise<"finished" | "closed">;
}

/** The field of a JSON body, or `undefined`. */
export function field(body: unknown, key: string): unknown {
  return typeof body === "object" && body !== null
    ? new Map<string, unknown>(Object.entries(body)).get(key)
    : undefined;
}
