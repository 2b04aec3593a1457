/** A host as it stands in an address: IPv6 in brackets. */
export const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** The port that an address leads to, also when it does not say so. */
export function urlPort({ port, protocol }: URL): string {
  if (port !== "") return port;
  return protocol === "https:" ? "443" : "80";
}

/** Tells whether a host, as `URL.host` has it, is this machine itself. */
export function isThisMachine(host: string): boolean {
  const bare = host.replace(/:\d+$/, "");
  return bare === "[::1]" || /^(127(\.\d{1,3}){3}|([\w-]+\.)*localhost)$/.test(bare);
}
