import type { Readable } from "node:stream";

/** A request to an endpoint. */
export interface HttpRequest {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or bytes that follow each other. */
  readonly body?: string | readonly Uint8Array[];
  readonly signal?: AbortSignal;
}

/** The response of an endpoint; its receiver reads the body to its end or destroys it. */
export interface HttpResponse {
  readonly status: number;
  /** By lower-case name; the first of several. */
  readonly header: (name: string) => string | undefined;
  readonly body: Readable;
}

/** A client for the hosts that are reached one way: directly, or through a proxy. Its bodies are as they were sent. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Closes all connections. */
  close(): Promise<void>;
}

export const MODEL_CONNECT_MS = 30_000;
/** Longer than a tool call usually takes: the next model call of a turn finds its connection open. */
export const KEEP_ALIVE_MS = 30_000;

/** Gives the header that a body of several pieces needs; of a text, clients know the length themselves. */
export const lengthHeader = (body: HttpRequest["body"]): Readonly<Record<string, string>> =>
  body === undefined || typeof body === "string"
    ? {}
    : { "content-length": String(body.reduce((sum, { length }) => sum + length, 0)) };
