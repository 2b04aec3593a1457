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

/** Says why a text is no entry of such a list, and what one looks like: a sentence about it. `undefined` for one that is. */
export function hostProblem(text: string): string | undefined {
  return entryOf(text) === undefined
    ? `It is no host: ${flawOf(text.trim())}. Write example.com, *.example.com, or either with :port`
    : undefined;
}

/** Checks an entry of such a list. @throws HostError `config_invalid` for what is none */
export const checkHost = (text: string): void => void parseEntry(text);

function parseEntry(text: string): HostEntry {
  const entry = entryOf(text);
  if (entry !== undefined) return entry;
  const message = `${JSON.stringify(text)} cannot be a host of the sandbox. ${hostProblem(text) ?? ""}.`;
  throw new HostError("config_invalid", message, { details: { subject: text } });
}

function entryOf(text: string): HostEntry | undefined {
  const written = text.trim();
  const [, star, rest = ""] = /^(\*\.)?(.*)$/s.exec(written) ?? [];
  const target = parseTarget(rest);
  if (target === undefined) return undefined;
  const isName = isIP(target.host) === 0;
  if (star !== undefined && (!isName || !target.host.includes("."))) return undefined;
  return { written, host: target.host, port: target.port, anyBelow: star !== undefined };
}

/** The part of a text because of which it is no host. */
function flawOf(text: string): string {
  if (text === "") return "it is empty";
  if (/\s/.test(text)) return "there is a blank in it";
  if (/[/?#@\\]/.test(text))
    return "it is an address of a page or an account, of which only the host is meant";
  if (text.includes("*")) return "a star stands before a name that has a dot itself, and nowhere else";
  if (/^[^:]+:\d*$|\]:/.test(text)) return "what stands before the colon is no name, or behind it no port";
  return "no machine can have this name";
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
  return isIP(name) !== 0 || isName(name) ? name : undefined;
}

/** Letters, digits and dashes between dots. Only names that the web has, which have a dot, are known with `_`. */
const isName = (name: string): boolean =>
  /^[a-z\d_-]{1,63}(?:\.[a-z\d_-]{1,63})*$/.test(name) &&
  /[a-z\d]/.test(name) &&
  (name.includes(".") || !name.includes("_"));

const keyOf = ({ host, port, anyBelow }: HostEntry): string =>
  `${anyBelow ? "*." : ""}${urlHost(host)}:${port ?? ""}`;
