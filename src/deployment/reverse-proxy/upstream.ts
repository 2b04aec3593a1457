/** The two upstreams that are reachable from outside. */
export type Upstream = "api_server" | "webhook";

const PREFIXES: readonly (readonly [prefix: string, upstream: Upstream])[] = [
  ["/v1/", "api_server"],
  ["/webhooks/", "webhook"],
];

/**
 * Where a request goes. What it asks for is passed on as it is written, so it must mean the same to everybody: no
 * step upwards, no slash or dot in disguise, nothing that is read differently elsewhere.
 *
 * @param target - as it stands in the request line
 * @returns `undefined` for a path that is not reachable, `false` for one that no honest client writes
 */
export function upstreamOf(target: string): Upstream | undefined | false {
  const [path = ""] = target.split("?", 1);
  // Printable ASCII only, and a path from the root: no other server's address.
  if (!/^\/[!-~]*$/.test(target) || target.includes("#")) return false;
  if (/\\|%2e|%2f|%5c|%25|%[01][0-9a-f]|%7f/i.test(path) || path.includes("//")) return false;
  if (path.split("/").some((part) => part === "." || part === ".." || part.startsWith("..;"))) return false;
  return PREFIXES.find(([prefix]) => path.startsWith(prefix))?.[1];
}
