import { BlockList, isIP } from "node:net";

/** The address of a provider's models, and what follows from its host. */
export interface Endpoint {
  /** Host and port, as messages name it. */
  readonly host: string;
  /** Without query and trailing slash. */
  readonly baseUrl: string;
  /** The query of the configured address; it goes with every request. */
  readonly query: Readonly<Record<string, string>>;
  /** The host is this machine or one of its network: it costs nothing, and may take its time. */
  readonly local: boolean;
  /** The host belongs to the cloud service. */
  readonly cloud: boolean;
}

/** Domains of the cloud service that need no configuration. */
export const CLOUD_DOMAINS = [".azure.com", ".azure.us", ".azure.cn"];

/** Gives the address of a request to an endpoint, with its query. */
export function requestUrl({ baseUrl, query }: Endpoint, path: string): string {
  const search = new URLSearchParams(query).toString();
  return `${baseUrl}${path}${search === "" ? "" : `?${search}`}`;
}

/** Tells whether a host is a domain or within it; `*.example.com` and `.example.com` mean the same. */
export const isWithin = (hostname: string, domain: string): boolean => {
  const bare = domain.toLowerCase().replace(/^\*?\./, "");
  return hostname === bare || hostname.endsWith(`.${bare}`);
};

const LOCAL_SUFFIXES = [".localhost", ".local", ".lan", ".internal"];

const localAddresses = new BlockList();
for (const [network, bits] of [
  ["127.0.0.0", 8],
  ["10.0.0.0", 8],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["169.254.0.0", 16],
  ["100.64.0.0", 10],
] as const) {
  localAddresses.addSubnet(network, bits);
}
localAddresses.addAddress("::1", "ipv6");
localAddresses.addSubnet("fc00::", 7, "ipv6");
localAddresses.addSubnet("fe80::", 10, "ipv6");

/** Tells whether a host (as `URL.hostname` has it) is this machine or one of its network. Names are not looked up. */
export function isLocalHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(bare);
  if (family !== 0) return localAddresses.check(bare, family === 6 ? "ipv6" : "ipv4");
  return !bare.includes(".") || LOCAL_SUFFIXES.some((suffix) => bare.endsWith(suffix));
}
