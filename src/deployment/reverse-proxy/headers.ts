import type { IncomingMessage } from "node:http";
import { isForwardedHeader } from "../../shared/net/forwarded-header.ts";
import { HOP_BY_HOP } from "../../shared/net/hop-by-hop.ts";
import { fieldsOf, type Framing, namedByConnection } from "./framing.ts";

/** Headers that are not passed on; `expect` is answered here, before the body is read. */
const HOP = new Set([...HOP_BY_HOP, "expect", "http2-settings"]);

/** The facts that decide the headers of a forwarded request. */
export interface Forwarding {
  /** `host:port` of the upstream, which answers to no other name. */
  readonly host: string;
  readonly protocol: "http" | "https";
  readonly framing: Framing;
  /** Asks for another protocol. */
  readonly upgrade: boolean;
}

/** The headers with which a request goes on, as pairs in their order. */
export function forwardedHeaders(
  request: IncomingMessage,
  { host, protocol, framing, upgrade }: Forwarding,
): string[] {
  const dropped = new Set([...HOP, ...namedByConnection(request.rawHeaders), "host", "content-length"]);
  const headers: string[] = ["host", host];
  for (const [name, value] of fieldsOf(request.rawHeaders)) {
    // Those from outside are dropped: only a proxy may set them.
    if (!dropped.has(name) && !isForwardedHeader(name)) headers.push(name, value);
  }
  headers.push("x-forwarded-for", request.socket.remoteAddress ?? "unknown", "x-forwarded-proto", protocol);
  if (request.headers.host !== undefined) headers.push("x-forwarded-host", request.headers.host);
  const bare = ["GET", "HEAD"].includes(request.method ?? "");
  if (framing.kind === "none" && !bare) headers.push("content-length", "0");
  if (framing.kind === "length") headers.push("content-length", framing.length);
  if (framing.kind === "chunked") headers.push("transfer-encoding", "chunked");
  // Nothing follows this request: whatever the other side thinks is left of it is no request.
  if (upgrade) headers.push("connection", "upgrade", "upgrade", request.headers.upgrade ?? "");
  else headers.push("connection", "close");
  return headers;
}

/** The headers with which an answer goes on. */
export function answeredHeaders(answer: IncomingMessage): string[] {
  const dropped = new Set([...HOP, ...namedByConnection(answer.rawHeaders)]);
  dropped.delete("content-length");
  return fieldsOf(answer.rawHeaders).flatMap(([name, value]) => (dropped.has(name) ? [] : [name, value]));
}
