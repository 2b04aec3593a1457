import { BlockList, isIP } from "node:net";
import { HostError } from "../../shared/errors/host-error.ts";
import { urlPort } from "../../shared/net/url-parts.ts";

/** The private hosts that the owner allows. */
export interface AllowedHosts {
  /** Whether the host is named itself, on this port or on all. */
  names(url: URL): boolean;
  /** Whether an address is in one of the networks that are named. */
  holds(address: string): boolean;
}

/**
 * Reads a list of names, addresses and networks: `nas.lan`, `nas.lan:8080`, `192.168.1.7`, `192.168.1.0/24`, `[fd00::7]:80`.
 *
 * @throws HostError `config_invalid` for an entry that is none of these
 */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const names = new Set<string>();
  const networks = new BlockList();
  for (const entry of entries) {
    const [network = "", prefix] = entry.trim().split("/");
    const family = isIP(network) === 6 ? "ipv6" : "ipv4";
    if (prefix !== undefined) addNetwork(networks, { entry, network, prefix: Number(prefix) });
    else if (isIP(network) !== 0) networks.addAddress(network, family);
    else names.add(nameOf(entry));
  }
  return {
    names: (url) => names.has(url.hostname) || names.has(`${url.hostname}:${urlPort(url)}`),
    holds: (address) => networks.check(address, isIP(address) === 6 ? "ipv6" : "ipv4"),
  };
}

/** Whether such a list may hold this. */
export function isHostEntry(entry: string): boolean {
  try {
    allowedHosts([entry]);
    return true;
  } catch {
    return false;
  }
}

function addNetwork(
  networks: BlockList,
  { entry, network, prefix }: { entry: string; network: string; prefix: number },
): void {
  try {
    networks.addSubnet(network, prefix, isIP(network) === 6 ? "ipv6" : "ipv4");
  } catch (cause) {
    throw invalid(entry, cause);
  }
}

function nameOf(entry: string): string {
  try {
    const { hostname, port, pathname } = new URL(`fetch://${entry.trim()}`);
    // Through http the name gets the form in which requests have it.
    const host = new URL(`http://${hostname}`).hostname;
    if (pathname !== "" || host === "") throw invalid(entry);
    return port === "" ? host : `${host}:${port}`;
  } catch (cause) {
    throw invalid(entry, cause);
  }
}

const invalid = (entry: string, cause?: unknown): HostError =>
  new HostError(
    "config_invalid",
    `"${entry}" in the list of private hosts is no host, host:port, address or network such as 192.168.1.0/24.`,
    { cause, details: { subject: entry } },
  );
