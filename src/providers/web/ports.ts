import type { ToolSession } from "../../core/index.ts";

/** A request to an address that a model or a configuration named. */
export interface WebRequest {
  readonly url: string;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Of the body, unpacked. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
  /** Whether a redirect may lead to another host; any by default. */
  readonly mayReach?: (host: string) => boolean;
}

/** The answer of an address. */
export interface WebAnswer {
  /** The address that answered, after redirects. */
  readonly url: string;
  readonly status: number;
  /** Without parameters, in lower case; empty when there is none. */
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/** The guarded way to other people's servers. */
export interface WebFetcher {
  /** Any status is an answer. @throws HostError `fetch_refused`, `fetch_failed`, `interrupted` */
  fetch(request: WebRequest): Promise<WebAnswer>;
}

/** The way that a session may go: whom it serves decides what it reaches. */
export type FetcherFor = (session: ToolSession) => WebFetcher;
