import { isIP } from "node:net";

/**
 * Says whether a `Host` header names this server. Other names are refused: a web page whose own name was made to
 * point here must not get to talk to it.
 *
 * @param names - host names and addresses beside `localhost` and the loopback addresses, in any case
 */
export function hostCheck(names: Iterable<string>): (header: string | undefined) => boolean {
  const known = new Set(["localhost", "::1", ...[...names].map((name) => bare(name))]);
  return (header) => {
    if (header === undefined) return true;
    const name = bare(header);
    return known.has(name) || (name.startsWith("127.") && isIP(name) === 4) || name.endsWith(".localhost");
  };
}

/** Without port, brackets and the dot that may end a name. */
function bare(host: string): string {
  const text = host.trim().toLowerCase();
  const bracketed = /^\[([^\]]*)\](?::\d*)?$/.exec(text)?.[1];
  if (bracketed !== undefined) return bracketed;
  if (isIP(text) === 6) return text;
  return text.replace(/:\d*$/, "").replace(/\.$/, "");
}
