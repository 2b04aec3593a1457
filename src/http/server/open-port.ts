import type { Server, ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { HostError } from "../../shared/errors/host-error.ts";

/** The address that a server listens on. */
export interface ListenAddress {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export const MOST_CONNECTIONS = 20_000;

/** The limits of every server: a slow sender holds a connection and nothing else. */
export const SERVER_LIMITS: ServerOptions = {
  headersTimeout: 15_000,
  keepAliveTimeout: 75_000,
  // Other protocols are only offered: a request that offers HTTP/2 is answered as if it had not.
  shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
};

/** Lets a server listen on an address; gives the port. @throws HostError `config_invalid` when the address cannot be used */
export async function openPort(server: Server, { host, port }: ListenAddress): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (cause) => {
    const code = "code" in cause ? String(cause.code) : "";
    const why = REASONS[code] ?? cause.message;
    reject(new HostError("config_invalid", `Cannot listen on ${host}:${port}: ${why}.`, { cause }));
  });
  server.listen(port, host, resolve);
  await promise;
  // A server that listens on a port has an address of this form.
  return (server.address() as AddressInfo).port;
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there; stop it, or choose another port",
  EACCES: "permission denied; ports below 1024 are the system's",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no host of that name",
};
