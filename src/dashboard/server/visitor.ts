import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { HttpContext } from "../../http/server/context.ts";
import type { Visitor } from "../sign-in/cookie-sessions.ts";

/** The facts about a request before it is known who sent it. */
export interface Arrival extends Visitor {
  /** Its browser speaks TLS, with this server or with the front address before it. */
  readonly secure: boolean;
  /** The name and port under which the browser knows this server. */
  readonly host: string;
}

const LONGEST_BROWSER = 200;

/**
 * Looks at where a request came from. The front address (`agent front`) runs on this machine and replaces what clients
 * say in forwarding headers, so they count when the connection is from this machine.
 */
export function arrivalOf(headers: IncomingHttpHeaders, peer: string | undefined): Arrival {
  const local = peer === undefined || isLoopback(peer);
  const forwarded = (name: string): string | undefined => (local ? firstOf(headers[name]) : undefined);
  return {
    address: forwarded("x-forwarded-for") ?? peer ?? "unknown",
    browser: (headers["user-agent"] ?? "").slice(0, LONGEST_BROWSER),
    secure: forwarded("x-forwarded-proto") === "https",
    host: forwarded("x-forwarded-host") ?? headers.host ?? "",
  };
}

/** The same for a request of the app. */
export function arrivalAt(c: HttpContext): Arrival {
  const { incoming } = c.env ?? {};
  const headers = incoming?.headers ?? Object.fromEntries(c.req.raw.headers);
  return arrivalOf(headers, incoming?.socket.remoteAddress);
}

/** Who sends a request of the app, as it is noted. */
export function visitorAt(c: HttpContext): Visitor {
  const { address, browser } = arrivalAt(c);
  return { address, browser };
}

/** The same for a WebSocket's handshake. */
export const arrivalOfHandshake = (request: IncomingMessage): Arrival =>
  arrivalOf(request.headers, request.socket.remoteAddress);

/**
 * Says whether a page of this server sent a request that changes something. Browsers say so; what says nothing at all is no
 * browser, and has no cookie to misuse.
 */
export function isOwnPage(headers: IncomingHttpHeaders, arrival: Arrival): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin") return false;
  return headers.origin === undefined || isOwnOrigin(headers.origin, arrival);
}

/** Says whether an `Origin` header names this server, as the browser knows it. */
export const isOwnOrigin = (origin: string | undefined, { host }: Arrival): boolean =>
  origin !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase();

const firstOf = (value: string | string[] | undefined): string | undefined =>
  (Array.isArray(value) ? value[0] : value)?.split(",", 1)[0]?.trim();

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address);
