import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HostError, messageOf } from "../../shared/errors/host-error.ts";

const PATH = "/callback";

/** The listener of this machine that a browser comes back to from a login. */
export interface CallbackListener extends AsyncDisposable {
  readonly url: string;
  /** Resolves with the first address that belongs to the login; the browser is told to be closed. */
  came(belongs: (address: URL) => boolean): Promise<URL>;
}

/** Listens on this machine alone. @throws HostError `config_invalid` when the port is taken */
export async function listenForCallback(port = 0): Promise<CallbackListener> {
  const arrived = Promise.withResolvers<URL>();
  let isOurs: (address: URL) => boolean = () => false;
  const server = createServer((request, response) => {
    const address = URL.parse(request.url ?? "/", origin(server));
    const isCallback = request.method === "GET" && address?.pathname === PATH;
    const belongs = isCallback && isOurs(address);
    // Anything on this machine can ask here: only the login's own secret counts, and nothing else ends the wait.
    const [status, words] = !isCallback
      ? [404, "There is nothing here."]
      : belongs
        ? [200, "You can close this window and go back to the terminal."]
        : [400, "This does not belong to the login that is waited for. Nothing was done."];
    response.writeHead(status, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      connection: "close",
    });
    response.end(`${words}\n`);
    if (belongs) arrived.resolve(address);
  });
  await listening(server, port);
  return {
    url: `${origin(server)}${PATH}`,
    async came(belongs) {
      isOurs = belongs;
      return await arrived.promise;
    },
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeIdleConnections();
      await closed.promise;
    },
  };
}

// It listens on a port.
const origin = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function listening(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", resolve);
  try {
    await promise;
  } catch (cause) {
    const why = `The browser cannot come back to port ${port} of this machine: ${messageOf(cause)}.`;
    throw new HostError("config_invalid", why, { cause });
  }
}
