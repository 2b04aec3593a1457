import type { Arrival } from "./visitor.ts";

/** Browsers take a name with this prefix only from a secure server, for its own host alone. */
const SECURE_NAME = "__Host-agent";
const PLAIN_NAME = "agent";
/** Seconds; the server forgets it sooner. */
const LONGEST = 7 * 24 * 3600;

/** A cookie of this server. `openid` ties a sign-in that goes through an identity provider to the browser that began it. */
type CookieName = "" | "openid";

/** Seconds in which somebody comes back from the provider. */
const AWAY = 600;

function nameFor(name: CookieName, { secure }: Pick<Arrival, "secure">): string {
  const base = secure ? SECURE_NAME : PLAIN_NAME;
  return name === "" ? base : `${base}-${name}`;
}

/** The `Set-Cookie` header that signs a browser in; an empty token signs it out. */
export function signInCookie(token: string, arrival: Pick<Arrival, "secure">): string {
  const age = token === "" ? 0 : LONGEST;
  return `${nameFor("", arrival)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secureIn(arrival)}`;
}

/** The `Set-Cookie` header for the way to the provider and back; an empty state ends it. The browser comes from another site. */
export function openIdCookie(state: string, arrival: Pick<Arrival, "secure">): string {
  const age = state === "" ? 0 : AWAY;
  return `${nameFor("openid", arrival)}=${state}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax${secureIn(arrival)}`;
}

const secureIn = ({ secure }: Pick<Arrival, "secure">): string => (secure ? "; Secure" : "");

/** Reads the value of a cookie out of a `Cookie` header; the token of who is signed in by default. */
export function cookieToken(
  header: string | undefined,
  arrival: Pick<Arrival, "secure">,
  name: CookieName = "",
): string | undefined {
  const wanted = `${nameFor(name, arrival)}=`;
  const found = (header ?? "")
    .split(";")
    .map((each) => each.trim())
    .find((each) => each.startsWith(wanted));
  const token = found?.slice(wanted.length);
  return token === "" ? undefined : token;
}
