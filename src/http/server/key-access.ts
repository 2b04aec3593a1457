import { bearerCheck } from "./bearer.ts";
import type { HttpContext } from "./context.ts";
import { corsHeaders, preflightHeaders } from "./cors.ts";
import { hostCheck } from "./hosts.ts";
import { HttpError } from "./http-error.ts";
import type { AccessCheck } from "./middleware.ts";
import { setHeaders } from "./security-headers.ts";

/** The rules for who may call an API. */
export interface KeyAccess {
  /** The key that every caller must send as `Authorization: Bearer`. */
  readonly key: string;
  /** Web origins that may call; none by default. */
  readonly corsOrigins: readonly string[];
  /** Names that a `Host` header may have beside the loopback ones. */
  readonly hostNames: readonly string[];
  /** Paths that need no key. */
  readonly isOpen: (path: string) => boolean;
}

/** Makes the access check of an API: of the host name, then of the page's origin, then of the key. */
export function keyAccess({ key, corsOrigins, hostNames, isOpen }: KeyAccess): AccessCheck {
  const isOurs = hostCheck(hostNames);
  const allow = corsHeaders(corsOrigins);
  const isKey = bearerCheck(key);
  return (c) => {
    const host = c.req.header("host");
    if (!isOurs(host)) return wrongHost(host ?? "", "platforms.api_server.extra.allowed_hosts");
    const origin = c.req.header("origin");
    const cors = origin === undefined ? undefined : allow(origin);
    if (origin !== undefined && cors === undefined) return nothing(c, 403);
    setHeaders(c, cors ?? {});
    if (c.req.method === "OPTIONS")
      return cors === undefined
        ? nothing(c, 403)
        : nothing(c, 200, preflightHeaders(c.req.header("access-control-request-headers")));
    if (isOpen(c.req.path) || isKey(c.req.header("authorization"))) return undefined;
    return wrongKey();
  };
}

/** Answers without a body; without its length the client would wait for one. */
const nothing = (
  c: HttpContext,
  status: 200 | 403,
  headers: Readonly<Record<string, string>> = {},
): Response => c.body(null, status, { "content-length": "0", ...headers });

/** Makes the error for a `Host` header that names another server. @param setting - where names are added */
export const wrongHost = (host: string, setting: string): HttpError =>
  new HttpError(
    403,
    `This server is not called ${JSON.stringify(host.slice(0, 100))}. Call it by an address or name of its machine, or add the name to ${setting}.`,
    { code: "host_not_allowed" },
  );

const wrongKey = (): HttpError =>
  new HttpError(
    401,
    "Invalid API key: this server wants its own key (API_SERVER_KEY) as `Authorization: Bearer <key>`, not a model provider's.",
    { code: "invalid_api_key", headers: { "www-authenticate": 'Bearer realm="agent"' } },
  );
