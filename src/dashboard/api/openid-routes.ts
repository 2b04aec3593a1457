import { z } from "zod";
import type { HttpContext } from "../../http/server/context.ts";
import { route } from "../../http/server/api-route.ts";
import { HttpError } from "../../http/server/http-error.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { cookieToken, openIdCookie, signInCookie } from "../server/cookie.ts";
import { PAGE_HEADERS } from "../server/page-headers.ts";
import { arrivalAt, visitorAt } from "../server/visitor.ts";
import type { DashboardApi, DashboardRoute } from "./dashboard-api.ts";

const CALLBACK = "/dashboard/api/openid/callback";

/** What the sign-in page tells who comes back from the provider without being signed in. */
export const ProviderFault = z
  .enum(["refused", "unreachable", "too_many_tries", "not_activated"])
  .meta({ title: "ProviderFault" });

/** Declares the routes of signing in at an identity provider: addresses that a browser goes to. */
export const OPENID_ROUTES: readonly DashboardRoute[] = [
  route(
    "GET /dashboard/api/openid",
    async (c, { signIn }: DashboardApi) => {
      const arrival = arrivalAt(c);
      const callback = `${arrival.secure ? "https" : "http"}://${arrival.host}${CALLBACK}`;
      try {
        const { address, state } = await signIn.beginAtProvider(callback);
        c.header("set-cookie", openIdCookie(state, arrival));
        return c.redirect(address);
      } catch (thrown) {
        return toSignInPage(c, faultOf(thrown));
      }
    },
    {
      id: "signInAtProvider",
      summary: "Go to the team's identity provider to sign in",
      status: 302,
      plain: true,
      open: true,
    },
  ),
  route(
    `GET ${CALLBACK}`,
    async (c, { signIn }: DashboardApi) => {
      const arrival = arrivalAt(c);
      const { search } = new URL(c.req.url);
      const answer = new URL(`${arrival.secure ? "https" : "http"}://${arrival.host}${CALLBACK}${search}`);
      const state = cookieToken(c.req.header("cookie"), arrival, "openid");
      try {
        const token = await signIn.withProvider(answer, state, visitorAt(c));
        c.header("set-cookie", openIdCookie("", arrival));
        c.header("set-cookie", signInCookie(token, arrival), { append: true });
        return toSignInPage(c);
      } catch (thrown) {
        return toSignInPage(c, faultOf(thrown));
      }
    },
    {
      id: "providerCallback",
      summary: "Come back from the identity provider",
      query: ["code", "state"],
      plain: true,
      open: true,
    },
  ),
];

/**
 * A page that goes to the first page by itself. A redirect would be the other site's, for which browsers keep the new cookie
 * back.
 */
function toSignInPage(c: HttpContext, fault?: z.output<typeof ProviderFault>): Response {
  for (const [name, value] of Object.entries(PAGE_HEADERS)) c.header(name, value);
  const address = fault === undefined ? "/" : `/#provider=${fault}`;
  return c.html(
    `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}"><title>Agent</title><a href="${address}">Go on</a>`,
  );
}

function faultOf(thrown: unknown): z.output<typeof ProviderFault> {
  if (thrown instanceof HttpError) return "too_many_tries";
  switch (toHostError(thrown).code) {
    case "unauthorized":
      return "refused";
    case "conflict":
      return "not_activated";
    default:
      return "unreachable";
  }
}
