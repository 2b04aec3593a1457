import type { Arrival } from "./visitor.ts";

/** Browsers take a name with this prefix only from a secure server, for its own host alone. */
const SECURE_NAME = "__Host-agent";
const PLAIN_NAME = "agent";
/** Seconds; the server forgets it sooner. */
const LONGEST = 7 * 24 * 3600;

const nameFor = ({ secure }: Pick<Arrival, "secure">): string => (secure ? SECURE_NAME : PLAIN_NAME);

/** The `Set-Cookie` header that signs a browser in; an empty token signs it out. */
export function signInCookie(token: string, arrival: Pick<Arrival, "secure">): string {
  const age = token === "" ? 0 : LONGEST;
  const secure = arrival.secure ? "; Secure" : "";
  return `${nameFor(arrival)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** Reads the token out of a `Cookie` header. */
export function cookieToken(
  header: string | undefined,
  arrival: Pick<Arrival, "secure">,
): string | undefined {
  const wanted = `${nameFor(arrival)}=`;
  const found = (header ?? "")
    .split(";")
    .map((each) => each.trim())
    .find((each) => each.startsWith(wanted));
  const token = found?.slice(wanted.length);
  return token === "" ? undefined : token;
}
