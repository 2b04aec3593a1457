import type { IncomingMessage } from "node:http";
import type { BareRefusal } from "../../shared/net/bare-answer.ts";
import { isLoopbackHost } from "../../shared/net/loopback.ts";

/** The rules for who may connect. */
export interface SocketAdmission {
  /** Says whether a text is a credential; compare in constant time, as `secretCheck` of the host does. */
  readonly isCredential: (given: string) => boolean;
  /**
   * Says whether a `Host` header names this server; names of this machine's own loopback by default. A page whose own
   * name was made to point here must not get in.
   */
  readonly isHost?: (header: string | undefined) => boolean;
  /** Web origins that may connect beside the server's own, such as `https://agent.example.org`. */
  readonly origins?: readonly string[];
}

/** The refusal of a connection, before there is one. */
export interface SocketRefusal extends BareRefusal {
  readonly status: 401 | 403;
}

/** Looks at a request for a connection: its `Host`, its `Origin`, its credential, in this order. */
export function socketRefusal(
  request: IncomingMessage,
  admission: SocketAdmission,
): SocketRefusal | undefined {
  const { isHost = isLoopback, origins = [], isCredential } = admission;
  const { host, origin } = request.headers;
  if (!isHost(host)) {
    const name = JSON.stringify((host ?? "").slice(0, 100));
    return {
      status: 403,
      code: "host_not_allowed",
      message: `This server is not called ${name}. Add the name to gateway.allowed_hosts.`,
    };
  }
  if (!isOriginAllowed(origin, { host, origins })) {
    const shown = JSON.stringify((origin ?? "").slice(0, 100));
    return {
      status: 403,
      code: "origin_not_allowed",
      message: `Pages of ${shown} may not connect. Add it to gateway.allowed_origins or API_SERVER_CORS_ORIGINS.`,
    };
  }
  if (credentialsOf(request).some((given) => isCredential(given))) return undefined;
  const message =
    "The credential is missing or wrong: send `Authorization: Bearer <token>`, or `?token=<token>`. AGENT_GATEWAY_TOKEN names it to clients; `agent gateway token` shows it.";
  return { status: 401, message, code: "unauthorized", headers: { "www-authenticate": "Bearer" } };
}

/** Programs send no web origin; a page must come from this server, or from where it was said. */
function isOriginAllowed(
  origin: string | undefined,
  { host, origins }: { readonly host: string | undefined; readonly origins: readonly string[] },
): boolean {
  if (origin === undefined || !/^(https?:|null$)/i.test(origin)) return true;
  if (origins.includes(origin) || origins.includes("*")) return true;
  return URL.canParse(origin) && new URL(origin).host === host?.toLowerCase();
}

function credentialsOf({ headers, url = "" }: IncomingMessage): readonly string[] {
  const bearer = /^bearer +(.*)$/is.exec(headers.authorization ?? "")?.[1]?.trim();
  const query = url.indexOf("?");
  const token = query < 0 ? null : new URLSearchParams(url.slice(query)).get("token");
  return [bearer ?? "", token ?? ""].filter((given) => given !== "");
}

function isLoopback(header: string | undefined): boolean {
  return isLoopbackHost((header ?? "localhost").replace(/:\d*$/, ""));
}
