import { isIP } from "node:net";
import { HostError } from "../../../../shared/errors/host-error.ts";
import { urlHost } from "../../../../shared/net/url-parts.ts";
import type { HostTarget, SandboxHosts } from "../port.ts";

interface HostEntry {
  readonly written: string;
  /** Without its star: with one, any name that ends with it. */
  readonly host: string;
  readonly anyBelow: boolean;
  readonly port: number | undefined;
}

/** The hosts that the programs of a sandbox may reach. */
export class HostList implements SandboxHosts {
  readonly #entries = new Map<string, HostEntry>();

  /** @throws HostError `config_invalid` for what is no entry */
  constructor(entries: readonly string[]) {
    for (const entry of entries) this.add(entry);
  }

  get entries(): readonly string[] {
    return [...this.#entries.values()].map(({ written }) => written);
  }

  add(entry: string): void {
    const parsed = parseEntry(entry);
    this.#entries.set(keyOf(parsed), parsed);
  }

  remove(entry: string): void {
    this.#entries.delete(keyOf(parseEntry(entry)));
  }

  /** Whether a host is named, by itself or by a star. */
  allows({ host, port }: HostTarget): boolean {
    return [...this.#entries.values()].some(
      (entry) =>
        (entry.port === undefined || entry.port === port) &&
        (entry.anyBelow ? host.endsWith(`.${entry.host}`) : host === entry.host),
    );
  }

  /** Whether an address that is not public is named itself: a name that leads there is not enough. */
  names(address: string, port: number): boolean {
    return this.allows({ host: canonicalHost(address) ?? address, port });
  }
}

/** Tells whether a text is an entry of such a list. */
export function isSandboxHost(text: string): boolean {
  try {
    parseEntry(text);
    return true;
  } catch {
    return false;
  }
}

function parseEntry(text: string): HostEntry {
  const written = text.trim();
  const [, star, rest = ""] = /^(\*\.)?(.*)$/s.exec(written) ?? [];
  const target = parseTarget(rest);
  const isName = target !== undefined && isIP(target.host) === 0;
  if (target === undefined || (star !== undefined && (!isName || !target.host.includes(".")))) {
    throw new HostError(
      "config_invalid",
      `"${text}" in the list of hosts of the sandbox is no host. Write example.com, *.example.com, or either with :port.`,
      { details: { subject: text } },
    );
  }
  return { written, host: target.host, port: target.port, anyBelow: star !== undefined };
}

/** The host and port that a text names; the port may be left out. `undefined` for what is no host. */
export function parseTarget(text: string): { host: string; port: number | undefined } | undefined {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:/?#@\s\\]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const bare = bracketed ?? plain ?? (isIP(text) === 6 ? text : undefined);
  if (bare === undefined) return undefined;
  const port = digits === undefined ? undefined : Number(digits);
  const host = canonicalHost(bare);
  if (host === undefined || (port !== undefined && (port < 1 || port > 65_535))) return undefined;
  return { host, port };
}

/** A host in the one form in which addresses of the web have it: small letters, numbers as `a.b.c.d`, no last dot. */
function canonicalHost(host: string): string | undefined {
  const url = URL.parse(`http://${urlHost(host)}/`);
  if (url === null || url.hostname === "" || url.pathname !== "/" || url.username !== "") return undefined;
  const name = url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  return /^[a-z\d._:-]+$/.test(name) ? name : undefined;
}

const keyOf = ({ host, port, anyBelow }: HostEntry): string =>
  `${anyBelow ? "*." : ""}${urlHost(host)}:${port ?? ""}`;
