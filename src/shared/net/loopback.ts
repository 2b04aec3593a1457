import { isIP } from "node:net";

const NAMES: ReadonlySet<string> = new Set(["localhost", "ip6-localhost", "ip6-loopback", "::1"]);

/** Says whether a host, a name or an address with or without brackets, is this machine. */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  return NAMES.has(name) || (isIP(name) === 4 && name.startsWith("127."));
}
