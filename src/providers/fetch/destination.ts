import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { type Proxies, proxyFor } from "../../shared/net/proxies.ts";
import { isPublicAddress } from "../../shared/net/public-address.ts";
import { type AllowedHosts, allowedHosts } from "./allowed-hosts.ts";

/** A lookup of all addresses of a name; it rejects when there are none. */
export type Resolve = (hostname: string) => Promise<readonly LookupAddress[]>;

/** The checked target of a request. The connection uses these addresses and looks nothing up again. */
export interface Destination {
  readonly url: URL;
  readonly addresses: readonly LookupAddress[];
  /** The proxy that leads there; it looks the name up by itself. */
  readonly proxy?: string;
}

/** The rules by which a target is checked. */
export interface DestinationRules {
  /** Private hosts that may be reached all the same: names, `name:port`, addresses, networks. */
  readonly allow?: readonly string[];
  /** Finds the addresses of a name; the system's way by default. */
  readonly resolve?: Resolve;
  /** The proxies on the way out; none by default. */
  readonly proxies?: Proxies;
  /** Names that only the proxy could look up; refused by default. */
  readonly unresolved?: UnresolvedNames;
}

/**
 * The treatment, behind a proxy, of names that this machine cannot look up. The proxy can, and may lead where only it
 * may go: to a cloud's metadata or an inner network. `refused` lets only those through that the owner allows by name;
 * `proxy` also those that could be public, and is for what the owner starts. `refused` by default.
 */
export type UnresolvedNames = "refused" | "proxy";

/** A reader of addresses on the web, which finds out where they lead. */
export type FindDestination = (text: string | URL) => Promise<Destination>;

const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/**
 * Makes the finder of destinations for some rules. It throws `fetch_refused` for what is not a public host and not one
 * that is allowed, or cannot be told.
 *
 * @throws HostError `config_invalid` for an entry of `allow` that cannot be read
 */
export function destinations(rules: DestinationRules): FindDestination {
  const allowed = allowedHosts(rules.allow ?? []);
  return (text) => destinationOf(parse(text), rules, allowed);
}

async function destinationOf(
  url: URL,
  { resolve = systemResolve, proxies, unresolved = "refused" }: DestinationRules,
  allowed: AllowedHosts,
): Promise<Destination> {
  const proxy = proxies === undefined ? undefined : proxyFor(url, proxies);
  const addresses = await addressesOf(url, resolve);
  if (addresses instanceof Error) {
    if (proxy === undefined) throw refused(url, "its name cannot be resolved", addresses);
    const isForProxy = allowed.names(url) || (unresolved === "proxy" && couldBePublic(url.hostname));
    if (isForProxy) return { url, addresses: [], proxy };
    throw refused(
      url,
      "its name cannot be resolved here, and where the proxy would find it is not known; the owner of this host can allow it by name",
      addresses,
    );
  }
  const hidden = addresses.filter(({ address }) => !isPublicAddress(address));
  const named = allowed.names(url);
  if (!named && !hidden.every(({ address }) => allowed.holds(address)))
    throw refused(url, "it leads to a private address; the owner of this host can allow it by name");
  // What is private and allowed is near; proxies lead to what is far.
  return { url, addresses, ...(proxy === undefined || hidden.length > 0 ? {} : { proxy }) };
}

function parse(text: string | URL): URL {
  const url = URL.parse(text);
  if (url === null) throw new HostError("fetch_refused", "This is no address on the web: it cannot be read.");
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refused(url, "only http and https addresses are fetched");
  if (url.username !== "" || url.password !== "") throw refused(url, "it carries a user name or a password");
  return url;
}

/** The addresses of a host, or why there are none. */
async function addressesOf(url: URL, resolve: Resolve): Promise<readonly LookupAddress[] | Error> {
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(literal);
  if (family !== 0) return [{ address: literal, family }];
  try {
    const addresses = await resolve(url.hostname);
    return addresses.length > 0 ? addresses : new Error("it has no address");
  } catch (cause) {
    return toHostError(cause);
  }
}

/** Last parts of names that no public name has. */
const INNER = new Set(
  "internal local localhost localdomain lan home corp intranet private svc consul arpa onion invalid".split(
    " ",
  ),
);

function couldBePublic(hostname: string): boolean {
  const labels = hostname.toLowerCase().replace(/\.$/, "").split(".");
  return labels.length > 1 && !INNER.has(labels.at(-1) ?? "");
}

function refused({ origin, host }: URL, why: string, cause?: unknown): HostError {
  const shown = origin === "null" ? host : origin;
  return new HostError("fetch_refused", `${shown} is not fetched: ${why}.`, {
    cause,
    details: { subject: shown },
  });
}
