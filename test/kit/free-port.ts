import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";

/** A port that is free now: for a server that has to start again where it was. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
