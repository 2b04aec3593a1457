import type { Prompt } from "../events/prompt.ts";

/** More hosts than these are not remembered: somebody who pasted a log is asked once more. */
const MOST_HOSTS = 200;
/** As much of a prompt is looked through. */
const LOOKED_AT = 1_000_000;

/** Surfaces whose prompts are not a person's words: strangers and models write them. */
const NOT_PEOPLE: ReadonlySet<string> = new Set(["webhook", "subagent"]);

/** A host without an address around it: only under the endings that no file has. */
const BARE = /\.(?:com|org|net|edu|gov|io|dev)$/;

/** The host of an address in the form that is compared; `undefined` for what is no address of a server. */
export function hostOf(address: string): string | undefined {
  const parsed = URL.parse(address);
  return parsed === null || parsed.hostname === "" ? undefined : plainHost(parsed.hostname);
}

/** A host in the form that is compared. */
export const plainHost = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.$/, "")
    .replace(/^www\./, "");

/** The hosts that a text names: in addresses, or by themselves where nothing else is called so. */
export function hostsIn(text: string): readonly string[] {
  const words = text.slice(0, LOOKED_AT).split(/[\s<>"'`()[\]{},;|]+/);
  const hosts = words.flatMap((word) => {
    if (word.includes("://")) return hostOf(word.slice(addressStart(word))) ?? [];
    const [bare = ""] = word.replace(/^www\./i, "").split(/[/:?#]/, 1);
    const host = plainHost(bare.replace(/[.!?]$/, ""));
    return /^[a-z\d.-]{3,253}$/.test(host) && BARE.test(host) ? host : [];
  });
  return [...new Set(hosts)];
}

/** The start of the first address in a word: its scheme may follow other characters. */
function addressStart(word: string): number {
  const end = word.indexOf("://");
  let start = end;
  while (start > 0 && /[a-z\d+.-]/i.test(word.charAt(start - 1))) start -= 1;
  return start;
}

/** Adds the hosts that a person names in a prompt. */
export function withNamedHosts(known: readonly string[], { parts, from }: Prompt): readonly string[] {
  if (NOT_PEOPLE.has(from.surface)) return known;
  const text = parts.map((part) => {
    if (part.type === "text") return part.text;
    return part.type === "link" ? part.uri : "";
  });
  return addHosts(known, text.join("\n"));
}

/** Adds the hosts that a text of a person names; the oldest are forgotten. */
export function addHosts(known: readonly string[], text: string): readonly string[] {
  const named = hostsIn(text);
  const isNews = named.some((host) => !known.includes(host));
  return isNews ? [...new Set([...known, ...named])].slice(-MOST_HOSTS) : known;
}
