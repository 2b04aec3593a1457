import type { HttpContext } from "../../http/server/context.ts";
import { hostCheck } from "../../http/server/hosts.ts";
import { HttpError } from "../../http/server/http-error.ts";
import { wrongHost } from "../../http/server/key-access.ts";
import type { AccessCheck } from "../../http/server/middleware.ts";
import { setHeaders } from "../../http/server/security-headers.ts";
import type { CookieSession } from "../sign-in/cookie-sessions.ts";
import type { SignIn } from "../sign-in/sign-in.ts";
import { cookieToken } from "./cookie.ts";
import { STRICT_TRANSPORT } from "./page-headers.ts";
import { arrivalAt, isOwnPage } from "./visitor.ts";

/** The rules for who may ask what of the dashboard. */
export interface PageAccess {
  readonly signIn: SignIn;
  /** Names that a `Host` header may have beside the loopback ones. */
  readonly hostNames: readonly string[];
  /** Paths of the API that need nobody signed in. */
  readonly isOpen: (path: string) => boolean;
  /** Paths whose body is a file as it is; all others take JSON. */
  readonly takesFile: (path: string) => boolean;
  /** Another API on this server, which has its own check. */
  readonly guest?: { readonly prefix: string; readonly check: AccessCheck };
}

/** The part of the addresses that programs ask; all else are pages. */
export const API_PREFIX = "/dashboard/api/";

const READS = new Set(["GET", "HEAD"]);
const signedIn = new WeakMap<Request, CookieSession>();

/** Makes the access check: of the host name, then whether an own page asks, then of the cookie. */
export function pageAccess({ signIn, hostNames, isOpen, takesFile, guest }: PageAccess): AccessCheck {
  const isOurs = hostCheck(hostNames);
  return async (c) => {
    const host = c.req.header("host");
    if (!isOurs(host)) return wrongHost(host ?? "", "platforms.dashboard.extra.allowed_hosts");
    const arrival = arrivalAt(c);
    if (arrival.secure) setHeaders(c, STRICT_TRANSPORT);
    if (guest !== undefined && c.req.path.startsWith(guest.prefix)) return guest.check(c);
    if (!c.req.path.startsWith(API_PREFIX)) return undefined;
    c.header("cache-control", "no-store");
    if (!READS.has(c.req.method)) {
      const refusal = writeRefusal(c, takesFile(c.req.path));
      if (refusal !== undefined) return refusal;
    }
    const token = cookieToken(c.req.header("cookie"), arrival);
    const session = token === undefined ? undefined : await signIn.find(token);
    if (session !== undefined) signedIn.set(c.req.raw, session);
    return session !== undefined || isOpen(c.req.path) ? undefined : notSignedIn();
  };
}

/** Gives who is signed in where a request comes from; `undefined` on a path that needs nobody. */
export const sessionAt = (c: HttpContext): CookieSession | undefined => signedIn.get(c.req.raw);

/** No form of another site sends either type: its browser would have to ask first. */
function writeRefusal(c: HttpContext, isFile: boolean): HttpError | undefined {
  const headers = { origin: c.req.header("origin"), "sec-fetch-site": c.req.header("sec-fetch-site") };
  if (!isOwnPage(headers, arrivalAt(c)))
    return new HttpError(403, "Only pages of the dashboard itself may change something.", {
      code: "origin_not_allowed",
    });
  const type = c.req.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  const wanted = isFile ? "application/octet-stream" : "application/json";
  if (type === wanted) return undefined;
  return new HttpError(415, `Send ${isFile ? "the file" : "JSON"}, as Content-Type: ${wanted}.`, {
    code: "unsupported_content_type",
    param: "Content-Type",
  });
}

const notSignedIn = (): HttpError =>
  new HttpError(401, "Nobody is signed in here; sign in on the dashboard's first page.", {
    code: "not_signed_in",
  });
