import { once } from "node:events";
import { get } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

const LOOK_EVERY_MS = 100;

/** A balancer of TCP connections, which looks at `/v1/health` of each host as one in front of a cluster does. */
export interface Balancer extends AsyncDisposable {
  readonly url: string;
  /** Hosts that said that they drain, as it saw them: their ports, each as often as it began to. */
  readonly drained: readonly number[];
}

/** Starts a balancer in front of hosts, which may come and go at their ports. */
export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const well = new Set<number>();
  const drained: number[] = [];
  const draining = new Set<number>();
  const sockets = new Set<Socket>();
  const look = async (port: number): Promise<void> => {
    const { isWell, drains } = await healthOf(port);
    if (isWell) well.add(port);
    else well.delete(port);
    if (drains && !draining.has(port)) drained.push(port);
    if (drains) draining.add(port);
    else draining.delete(port);
  };
  const lookAtAll = (): Promise<unknown> => Promise.all(ports.map(look));
  await lookAtAll();
  const timer = setInterval(() => void lookAtAll(), LOOK_EVERY_MS);
  let turn = 0;
  const server = createServer({ noDelay: true }, (client) => {
    const hosts = [...well];
    turn += 1;
    const port = hosts[turn % hosts.length];
    if (port === undefined) return void client.destroy();
    const host = connect({ port, host: "127.0.0.1", noDelay: true });
    for (const [socket, other] of [
      [client, host],
      [host, client],
    ] as const) {
      sockets.add(socket);
      socket.on("error", () => other.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    drained,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

interface HostHealth {
  readonly isWell: boolean;
  /** It says so itself. */
  readonly drains: boolean;
}

function healthOf(port: number): Promise<HostHealth> {
  const { promise, resolve } = Promise.withResolvers<HostHealth>();
  const gone = (): void => resolve({ isWell: false, drains: false });
  const asked = get(`http://127.0.0.1:${port}/v1/health`, { agent: false, timeout: 1000 }, (answer) => {
    answer.resume();
    resolve({ isWell: answer.statusCode === 200, drains: answer.statusCode === 503 });
  });
  asked.on("error", gone).on("timeout", () => void asked.destroy());
  return promise;
}
