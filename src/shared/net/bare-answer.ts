import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

/** The headers of every answer: a browser must not show it as a page, frame it, or guess its type. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "permissions-policy": "camera=(), microphone=(), geolocation=()",
  "x-frame-options": "DENY",
};

/** A request that is refused before it reaches an app. */
export interface BareRefusal {
  readonly status: number;
  readonly message: string;
  /** For machines; `null` by default. */
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes the answer to a refused request, as an app would make it; its connection closes. */
export function bareAnswer({ message, code, headers }: BareRefusal): {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const error = { message, type: "invalid_request_error", param: null, code: code ?? null };
  const body = JSON.stringify({ error });
  return {
    body,
    headers: {
      ...SECURITY_HEADERS,
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(body)),
      connection: "close",
      ...headers,
    },
  };
}

/** Answers on a connection that no HTTP server minds any more, and closes it. */
export function refuseConnection(socket: Duplex, refusal: BareRefusal): void {
  const { body, headers } = bareAnswer(refusal);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = refusal;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Refused"}\r\n${lines.join("")}\r\n${body}`);
}
