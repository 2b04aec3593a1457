import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { HostError } from "../../core/errors.ts";
import { isPublicAddress } from "./addresses.ts";
import type { AllowedHosts } from "./allowed-hosts.ts";

/** Finds all addresses of a name; rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** Where a request goes, checked: whoever connects uses these addresses and asks nobody again. */
export interface Destination {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
}

/**
 * Reads an address on the web and finds out where it leads.
 *
 * @throws HostError `fetch_refused` when that is not a public host and not one that is allowed, or cannot be told
 */
export async function destinationOf(
  text: string | URL,
  { resolve, allowed }: { readonly resolve: Resolve; readonly allowed: AllowedHosts },
): Promise<Destination> {
  const url = parse(text);
  const addresses = await addressesOf(url, resolve);
  const named = allowed.names(url);
  for (const { address } of addresses) {
    if (named || allowed.holds(address) || isPublicAddress(address)) continue;
    throw refused(url, "it leads to a private address; the owner of this host can allow it by name");
  }
  return { url, addresses };
}

function parse(text: string | URL): URL {
  const url = URL.parse(text);
  if (url === null) throw new HostError("fetch_refused", "This is no address on the web: it cannot be read.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refused(url, "only http and https addresses are fetched");
  if (url.username !== "" || url.password !== "") throw refused(url, "it carries a user name or a password");
  return url;
}

async function addressesOf(url: URL, resolve: Resolve): Promise<readonly LookupAddress[]> {
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(literal);
  if (family !== 0) return [{ address: literal, family }];
  try {
    const addresses = await resolve(url.hostname);
    if (addresses.length > 0) return addresses;
  } catch (cause) {
    throw refused(url, "its name cannot be resolved", cause);
  }
  throw refused(url, "its name has no address");
}

function refused({ origin, host }: URL, why: string, cause?: unknown): HostError {
  const shown = origin === "null" ? host : origin;
  return new HostError("fetch_refused", `${shown} is not fetched: ${why}.`, {
    cause,
    details: { subject: shown },
  });
}
