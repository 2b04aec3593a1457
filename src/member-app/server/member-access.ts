import { arrivalAt, isOwnPage } from "../../dashboard/server/visitor.ts";
import type { HttpContext } from "../../http/server/context.ts";
import { HttpError } from "../../http/server/http-error.ts";
import type { AccessCheck } from "../../http/server/middleware.ts";
import { deviceToken } from "../sign-in/device-cookie.ts";
import type { MemberSignIn, SignedInMember } from "../sign-in/member-sign-in.ts";

/** The part of the addresses that the app's pages ask. */
export const APP_PREFIX = "/app/api/";

const READS = new Set(["GET", "HEAD"]);
const signedIn = new WeakMap<Request, SignedInMember>();

/** Makes the access check of the app: whether an own page asks, then of the cookie. */
export function memberAccess(
  signIn: Pick<MemberSignIn, "find" | "isOpen">,
  isOpen: (path: string) => boolean,
): AccessCheck {
  return async (c) => {
    c.header("cache-control", "no-store");
    const arrival = arrivalAt(c);
    // Reading too: what another site's page could load, it could measure.
    const site = c.req.header("sec-fetch-site");
    const foreign = site !== undefined && site !== "same-origin" && site !== "none";
    if (foreign || !READS.has(c.req.method)) {
      const refusal = writeRefusal(c);
      if (refusal !== undefined) return refusal;
    }
    const token = deviceToken(c.req.header("cookie"), arrival);
    const found = token === undefined ? undefined : await signIn.find(token);
    if (found !== undefined) signedIn.set(c.req.raw, found);
    else if (!isOpen(c.req.path)) return notSignedIn();
    // As soon as the first user is there, it is.
    else if (!(await signIn.isOpen())) return noApp();
    return undefined;
  };
}

/** Who is signed in where a request comes from, if anybody. */
export const maybeSignedInAt = (c: HttpContext): SignedInMember | undefined => signedIn.get(c.req.raw);

/** The same on a path that needs somebody. @throws HttpError 401 */
export function signedInAt(c: HttpContext): SignedInMember {
  const found = maybeSignedInAt(c);
  if (found === undefined) throw notSignedIn();
  return found;
}

function writeRefusal(c: HttpContext): HttpError | undefined {
  const headers = { origin: c.req.header("origin"), "sec-fetch-site": c.req.header("sec-fetch-site") };
  if (!isOwnPage(headers, arrivalAt(c)))
    return new HttpError(403, "Only pages of the app itself may ask here.", { code: "origin_not_allowed" });
  const type = c.req.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json" || READS.has(c.req.method)) return undefined;
  return new HttpError(415, "Send JSON, as Content-Type: application/json.", {
    code: "unsupported_content_type",
    param: "Content-Type",
  });
}

const noApp = (): HttpError =>
  new HttpError(
    404,
    "This agent has no users yet. Whoever looks after it adds them on the dashboard's page Users, or with agent users add.",
    { code: "no_app" },
  );

const notSignedIn = (): HttpError =>
  new HttpError(401, "Nobody is signed in on this device.", { code: "not_signed_in" });
