import type { HttpContext } from "../../http/server/context.ts";
import { hostCheck } from "../../http/server/hosts.ts";
import { HttpError } from "../../http/server/http-error.ts";
import { isForwardedHeader } from "../../shared/net/forwarded-header.ts";
import { NO_AUTH } from "./authentication.ts";
import type { WebhookRoute } from "./route.ts";

const isThisMachine = hostCheck([]);

/**
 * Refuses calls that no other software makes: those of web pages; and, on a route without a secret, those that were
 * passed on by a proxy or that name another host than this machine, as pages do whose name was made to point here.
 *
 * @throws HttpError 403
 */
export function checkCaller(c: HttpContext, { secret }: Pick<WebhookRoute, "secret">): void {
  if (c.req.header("origin") !== undefined)
    throw new HttpError(403, "Webhooks are not taken from web pages: send no Origin");
  if (secret !== NO_AUTH) return;
  if (!isThisMachine(c.req.header("host")))
    throw new HttpError(403, "This route has no secret: call it as localhost, or give it a secret");
  if (Object.keys(c.req.header()).some(isForwardedHeader))
    throw new HttpError(403, "This route has no secret: it is not served through a proxy");
}
