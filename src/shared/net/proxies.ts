import { HostError } from "../errors/host-error.ts";
import { urlPort } from "./url-parts.ts";

/** The proxies through which this machine reaches others, as its environment names them. */
export interface Proxies {
  readonly http: string | undefined;
  readonly https: string | undefined;
  /** The hosts that are reached without a proxy, as in `NO_PROXY`; this machine always is. */
  readonly direct: readonly string[];
}

const THIS_MACHINE = ["localhost", "127.0.0.1", "::1"];

/**
 * Reads `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` in either case, with or without `http://`. Where only one proxy is
 * named, it is the way to all.
 *
 * @throws HostError `config_invalid` for a value that is no address; it is not repeated, as it may hold a password
 */
export function environmentProxies(env: Readonly<Record<string, string | undefined>>): Proxies {
  const valueOf = (name: string): string => (env[name.toLowerCase()] ?? env[name] ?? "").trim();
  const [http, https] = ["HTTP_PROXY", "HTTPS_PROXY"].map((name) => addressIn(name, valueOf(name)));
  const direct = valueOf("NO_PROXY")
    .split(/[\s,]+/)
    .filter((entry) => entry !== "");
  return { http: http ?? https, https: https ?? http, direct: [...direct, ...THIS_MACHINE] };
}

function addressIn(name: string, value: string): string | undefined {
  if (value === "") return undefined;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (URL.canParse(address) && /^(https?|socks5?):$/.test(new URL(address).protocol)) return address;
  throw new HostError("config_invalid", `${name} is no address of a proxy. Write http://host:port.`, {
    details: { subject: name },
  });
}

/** The proxy on the way to an address; `undefined` when there is none. */
export function proxyFor(url: URL, proxies: Proxies): string | undefined {
  const proxy = url.protocol === "https:" ? proxies.https : proxies.http;
  if (proxy === undefined) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const given = urlPort(url);
  const isDirect = proxies.direct.some((entry) => {
    if (entry === "*" || entry === host) return true;
    const [, name = "", only] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    return (only === undefined || only === given) && (host === name || host.endsWith(`.${name}`));
  });
  return isDirect ? undefined : proxy;
}
