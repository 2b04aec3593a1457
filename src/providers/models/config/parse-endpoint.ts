import { HostError } from "../../../shared/errors/host-error.ts";
import { REQUEST_PATHS } from "../dialects/registry.ts";
import { CLOUD_DOMAINS, type Endpoint, isLocalHost, isWithin } from "../endpoint/endpoint.ts";

/**
 * Reads a configured address. People paste addresses of all kinds: a query (`?api-version=…`) is taken off and kept,
 * the path of a request at its end is dropped, and a bare host gets `/v1`.
 *
 * @param subject - the setting that holds it, for the message
 * @param cloudDomains - domains of the cloud service beside the ones that are known
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
  const pasted = url.pathname.replace(/\/+$/, "");
  const requestPath = REQUEST_PATHS.find((end) => pasted.endsWith(end)) ?? "";
  const path = pasted.slice(0, pasted.length - requestPath.length);
  const hostname = url.hostname.toLowerCase();
  return {
    host: url.host,
    baseUrl: `${url.origin}${path === "" ? "/v1" : path}`,
    query: Object.fromEntries(url.searchParams),
    local: isLocalHost(hostname),
    cloud: [...CLOUD_DOMAINS, ...cloudDomains].some((domain) => isWithin(hostname, domain)),
  };
}

const invalid = (subject: string, problem: string): HostError =>
  new HostError("config_invalid", `${subject} ${problem}. An example: http://localhost:8080/v1`, {
    details: { subject },
  });
