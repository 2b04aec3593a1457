import { BlockList, isIP } from "node:net";
import { HostError } from "../../../shared/errors/host-error.ts";

/** Where a provider's models are reached. */
export interface Endpoint {
  /** Host and port, as messages name it. */
  readonly host: string;
  /** Without query and trailing slash. */
  readonly baseUrl: string;
  /** Sent with every request, as it stood in the configured address. */
  readonly query: Readonly<Record<string, string>>;
  /** On this machine or its network: nobody charges for it, and it may take its time. */
  readonly local: boolean;
  /** A host of the cloud service. */
  readonly cloud: boolean;
}

/** Domains of the cloud service that need no configuration. */
const CLOUD_DOMAINS = [".azure.com", ".azure.us", ".azure.cn"];

/**
 * Reads a configured address. People paste addresses of all kinds: a query (`?api-version=…`) is taken off and kept,
 * the path of a request at its end is dropped, and a bare host gets `/v1`.
 *
 * @param subject - the setting that holds it, for the message
 * @throws HostError `config_invalid`
 */
export function parseEndpoint(
  address: string,
  subject: string,
  cloudDomains: readonly string[] = [],
): Endpoint {
  const url = URL.parse(address);
  // The address itself stays out of the messages: it may carry a key.
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw invalid(subject, "is no http or https address");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid(subject, "holds a user name or password; put the key into .env and name it in key_env");
  }
  const path = url.pathname.replace(/\/+$/, "").replace(REQUEST_PATH, "");
  const hostname = url.hostname.toLowerCase();
  return {
    host: url.host,
    baseUrl: `${url.origin}${path === "" ? "/v1" : path}`,
    query: Object.fromEntries(url.searchParams),
    local: isLocalHost(hostname),
    cloud: [...CLOUD_DOMAINS, ...cloudDomains].some((domain) => isWithin(hostname, domain)),
  };
}

const REQUEST_PATH = /\/(chat\/completions|responses|messages)$/;

/** An endpoint as the responses dialect addresses it: legacy addresses name a deployment, which stands in the body here. */
export const responsesEndpoint = (endpoint: Endpoint): Endpoint => ({
  ...endpoint,
  baseUrl: endpoint.baseUrl.replace(/\/deployments\/[^/]+$/, ""),
});

/** What the messages dialect calls its own version, in a header of every request. */
export const MESSAGES_PROTOCOL = "2023-06-01";
const MESSAGES_VERSION = "2025-04-15";
/** The vendor's own service has no versions in its addresses. */
export const MESSAGES_VENDOR = "api.anthropic.com";

/**
 * An endpoint as the messages dialect addresses it: without `/v1` at its end, which is part of that dialect's path, and
 * with its one `api-version`, whatever the configured address says.
 */
export function messagesEndpoint(endpoint: Endpoint): Endpoint {
  const version = endpoint.host === MESSAGES_VENDOR ? {} : { "api-version": MESSAGES_VERSION };
  return {
    ...endpoint,
    baseUrl: endpoint.baseUrl.replace(/\/v1$/, ""),
    query: { ...endpoint.query, ...version },
  };
}

const invalid = (subject: string, problem: string): HostError =>
  new HostError("config_invalid", `${subject} ${problem}. An example: http://localhost:8080/v1`, {
    details: { subject },
  });

const isWithin = (hostname: string, domain: string): boolean => {
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

/** Whether a host (as `URL.hostname` has it) is this machine or one of its network. Names are judged, not looked up. */
export function isLocalHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  const family = isIP(bare);
  if (family !== 0) return localAddresses.check(bare, family === 6 ? "ipv6" : "ipv4");
  return !bare.includes(".") || LOCAL_SUFFIXES.some((suffix) => bare.endsWith(suffix));
}
