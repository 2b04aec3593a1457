import type { IncomingMessage } from "node:http";

/** Headers of one connection, which are not passed on. */
const HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that only a proxy may set: those from outside are dropped. */
const FORWARDED = /^(?:forwarded|x-forwarded-.*|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

/** The facts that decide the headers of a forwarded request. */
export interface Forwarding {
  /** `host:port` of the upstream, which answers to no other name. */
  readonly host: string;
  readonly protocol: "http" | "https";
  /** Asks for another protocol. */
  readonly upgrade: boolean;
}

/** The headers with which a request goes on, as pairs in their order. */
export function forwardedHeaders(
  request: IncomingMessage,
  { host, protocol, upgrade }: Forwarding,
): string[] {
  const dropped = new Set([...HOP, ...namedByConnection(request.headers.connection), "host"]);
  const headers: string[] = ["host", host];
  for (let index = 0; index + 1 < request.rawHeaders.length; index += 2) {
    const name = request.rawHeaders[index] ?? "";
    const lower = name.toLowerCase();
    if (dropped.has(lower) || FORWARDED.test(lower)) continue;
    headers.push(name, request.rawHeaders[index + 1] ?? "");
  }
  headers.push("x-forwarded-for", request.socket.remoteAddress ?? "unknown", "x-forwarded-proto", protocol);
  if (request.headers.host !== undefined) headers.push("x-forwarded-host", request.headers.host);
  if (request.headers["transfer-encoding"] !== undefined) headers.push("transfer-encoding", "chunked");
  // An upstream that is to close would do so before it has read all of a body that it refuses.
  if (upgrade) headers.push("connection", "upgrade", "upgrade", request.headers.upgrade ?? "");
  else headers.push("connection", "keep-alive");
  return headers;
}

/** The headers with which an answer goes on. */
export function answeredHeaders(answer: IncomingMessage): string[] {
  const dropped = new Set([...HOP, ...namedByConnection(answer.headers.connection)]);
  const headers: string[] = [];
  for (let index = 0; index + 1 < answer.rawHeaders.length; index += 2) {
    const name = answer.rawHeaders[index] ?? "";
    if (!dropped.has(name.toLowerCase())) headers.push(name, answer.rawHeaders[index + 1] ?? "");
  }
  return headers;
}

const namedByConnection = (value: string | undefined): readonly string[] =>
  (value ?? "").split(",").map((name) => name.trim().toLowerCase());
