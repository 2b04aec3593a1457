import { isLocalHost } from "../endpoint/endpoint.ts";

const SCHEME = /^[a-z][a-z\d+.-]*:\/\//i;

/** Completes an address that somebody typed without a scheme: http for machines nearby, https for all others. */
export function completeAddress(typed: string): string {
  const address = typed.trim();
  if (address === "" || SCHEME.test(address)) return address;
  const host = /^(?:\[[^\]]*\]|[^/:?#]*)/.exec(address)?.[0].toLowerCase() ?? "";
  return `${isLocalHost(host) ? "http" : "https"}://${address}`;
}
