import type { Arrival } from "../../dashboard/server/visitor.ts";
import { DEVICE_AGE } from "./devices.ts";

/** Browsers take a name with this prefix only from a secure server, for its own host alone. */
export const SECURE_COOKIE = "__Host-agent-app";
const PLAIN_COOKIE = "agent-app";

type Way = Pick<Arrival, "secure">;

const nameFor = ({ secure }: Way): string => (secure ? SECURE_COOKIE : PLAIN_COOKIE);

/** The `Set-Cookie` header that signs a device in; an empty token signs it out. */
export function deviceCookie(token: string, way: Way): string {
  const age = token === "" ? 0 : DEVICE_AGE;
  const secure = way.secure ? "; Secure" : "";
  return `${nameFor(way)}=${token}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** Reads the token out of a `Cookie` header. */
export function deviceToken(header: string | undefined, way: Way): string | undefined {
  const wanted = `${nameFor(way)}=`;
  const found = (header ?? "")
    .split(";")
    .map((each) => each.trim())
    .find((each) => each.startsWith(wanted));
  const token = found?.slice(wanted.length);
  return token === "" ? undefined : token;
}
