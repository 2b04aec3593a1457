/** A request to a platform. */
export interface ChannelRequest {
  readonly url: string;
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
  /** Milliseconds for all of it; by default 30 s, and more for files. */
  readonly timeoutMs?: number;
  /** Bytes of the answer; 8 MB by default. */
  readonly maxBytes?: number;
}

/** An answer, whatever its status. */
export interface ChannelAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
}

/**
 * The one way to a platform's HTTP API, to the account's hosts and the public web only.
 *
 * @throws HostError `fetch_failed`, with `details.uncertain` unless the request surely never left; `fetch_refused`
 */
export type ChannelFetch = (request: ChannelRequest) => Promise<ChannelAnswer>;

/** A WebSocket that is open. It is read once: as texts, or as bytes where the platform's messages are none. */
export interface ChatSocket extends AsyncIterable<string> {
  bytes(): AsyncIterable<Uint8Array>;
  send(message: string | Uint8Array): void;
  /** Sends a heartbeat of the WebSocket's own; the other side answers it. */
  ping(): void;
  /** Ends it; reading ends too. */
  close(code?: number): void;
}

/** A way to open WebSockets. Reading one throws `fetch_failed` when it breaks, with `details.closeCode` when it was closed. */
export type OpenSocket = (
  url: string,
  options: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
    /** Called for the WebSocket's own heartbeats, pings and pongs, which are no messages. */
    readonly heard?: () => void;
  },
) => Promise<ChatSocket>;
