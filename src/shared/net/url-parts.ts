/** A host as it stands in an address: IPv6 in brackets. */
export const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** The port that an address leads to, also when it does not say so. */
export function urlPort({ port, protocol }: URL): string {
  if (port !== "") return port;
  return protocol === "https:" ? "443" : "80";
}
