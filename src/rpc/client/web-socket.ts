import type { IncomingMessage } from "node:http";
import { type Connect, Refused } from "./transport.ts";
import { LARGEST_MESSAGE } from "../wire.ts";

/** The credentials and headers of a connection. */
export interface WebSocketOptions {
  /** Sent as `Authorization: Bearer`. It may stand in the address instead, as `?token=`. */
  readonly token?: string;
  /** Where the token comes from, such as a variable: for the error when it is refused. */
  readonly tokenFrom?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const UNAUTHORIZED = 4401;
const FORBIDDEN = 4403;

/** The way to a gateway elsewhere: `webSocket("ws://127.0.0.1:8645/api/ws", { token })`. */
export function webSocket(
  address: string,
  { token, tokenFrom, headers = {} }: WebSocketOptions = {},
): Connect {
  return async (listener, signal) => {
    const { WebSocket } = await import("ws");
    const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const socket = new WebSocket(address, {
      headers: { ...headers, ...bearer },
      maxPayload: LARGEST_MESSAGE,
      perMessageDeflate: false,
    });
    const opened = Promise.withResolvers<void>();
    const abort = (): void => socket.terminate();
    signal.addEventListener("abort", abort, { once: true });
    socket.once("open", opened.resolve);
    socket.once("unexpected-response", (_request: unknown, { statusCode = 0 }: IncomingMessage) => {
      const from = statusCode === 401 && tokenFrom !== undefined ? `. ${tokenFrom}` : "";
      const words = `${withoutToken(address)} answered ${statusCode}: ${REASONS[statusCode] ?? "it is no gateway"}${from}`;
      opened.reject(FINAL.has(statusCode) ? new Refused(words) : new Error(words));
      socket.terminate();
    });
    socket.on("error", opened.reject);
    socket.on("message", (data: Buffer) => listener.message(data.toString("utf8")));
    socket.once("close", (code, reason) => {
      signal.removeEventListener("abort", abort);
      const words = reason.toString("utf8");
      listener.closed({
        reason: words === "" ? (CLOSE_CODES[code] ?? `it was closed with code ${code}`) : words,
        final: code === UNAUTHORIZED || code === FORBIDDEN,
      });
    });
    await opened.promise;
    return { send: (message) => socket.send(message), close: () => socket.close() };
  };
}

/** The meaning of close codes that come without words (RFC 6455, 7.4). */
const CLOSE_CODES: Readonly<Record<number, string>> = {
  1001: "the gateway is ending",
  1006: "it broke off",
  1011: "the gateway failed",
  1012: "the gateway starts again",
};

const FINAL = new Set([401, 403, 404]);

const REASONS: Readonly<Record<number, string>> = {
  401: "the token is missing or wrong",
  403: "this host or origin is not allowed",
  404: "there is no gateway at this path",
  503: "it is shutting down",
};

/** Addresses are shown in errors and logs; what stands for a password is not. */
function withoutToken(address: string): string {
  const url = new URL(address);
  for (const name of ["token", "ticket"]) if (url.searchParams.has(name)) url.searchParams.set(name, "***");
  return url.href;
}
