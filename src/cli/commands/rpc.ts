import { openRpcDocument, RpcGateway, serveStream } from "../../rpc/index.ts";
import { HostError } from "../../core/index.ts";
import { openAgent } from "../compose.ts";
import { EXIT, type Io, write } from "../io.ts";
import { gatewayPorts } from "../rpc/gateway-ports.ts";
import { ownSocket } from "../rpc/gateway-socket.ts";
import { packageVersion } from "../version.ts";

/** `agent rpc`: the gateway on the process's own streams. Nothing but the protocol goes to stdout. */
export async function serveStdio(io: Io): Promise<number> {
  // Until somebody asks, these are no reason to die in the middle of a write.
  const stopped = Promise.withResolvers<number>();
  const unlisten = [
    io.onSignal("SIGINT", () => undefined),
    io.onSignal("SIGTERM", () => stopped.resolve(EXIT.completed)),
    io.onSignal("SIGHUP", () => stopped.resolve(EXIT.completed)),
  ];
  try {
    await using agent = await openAgent(io, { resident: true });
    using gateway = new RpcGateway(agent.host, gatewayPorts(io, agent));
    const connection = serveStream((wire) => gateway.accept(wire), { input: io.stdin, output: io.stdout });
    const code = await Promise.race([stopped.promise, connection.ended.then(() => EXIT.completed)]);
    await agent.host.close();
    await connection.stop();
    return code;
  } finally {
    for (const off of unlisten) off();
  }
}

const DEFAULT = { host: "127.0.0.1", port: 8645 };

/** `agent rpc --listen`: the gateway on a WebSocket, until a signal ends it. */
export async function serveSocket(io: Io, address: string): Promise<number> {
  const place = placeOf(address);
  await using agent = await openAgent(io, { resident: true });
  using gateway = new RpcGateway(agent.host, gatewayPorts(io, agent));
  const { socket, ready } = ownSocket(gateway, agent.settings, { hosts: [place.host] });
  const listener = await socket.listen(place);
  await write(io.stderr, `agent: the gateway is on ${ready(listener.url)}\n`);
  await stopSignal(io);
  gateway.announceEnd("The gateway is shutting down.");
  await agent.host.close({ drainMs: agent.settings.drainMs });
  gateway.close();
  socket.close();
  await listener.close();
  return EXIT.completed;
}

/** Reads `host:port`, `:port`, `port` or `host`; brackets around an IPv6 address. */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  const text = address.trim();
  const colon = text.endsWith("]") ? -1 : text.lastIndexOf(":");
  const bare = /^\d+$/.test(text);
  const host = bare ? "" : (colon < 0 ? text : text.slice(0, colon)).replace(/^\[(.*)\]$/, "$1");
  const port = bare ? text : colon < 0 ? "" : text.slice(colon + 1);
  if (!/^\d{0,5}$/.test(port) || Number(port) > 65_535 || /[\s/]/.test(host)) {
    const message = `--listen takes host:port, such as ${DEFAULT.host}:${DEFAULT.port}, not ${JSON.stringify(address)}.`;
    throw new HostError("command_usage", message);
  }
  return { host: host === "" ? DEFAULT.host : host, port: port === "" ? DEFAULT.port : Number(port) };
}

/** Resolves at the first signal to stop; a second one ends the process at once. */
function stopSignal(io: Io): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let asked = false;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    io.onSignal(signal, () => {
      if (asked) io.exit(EXIT.interrupted);
      asked = true;
      resolve();
    });
  }
  return promise;
}

/** `agent rpc --schema`: the protocol as an OpenRPC document. */
export async function printSchema(io: Io): Promise<number> {
  await write(io.stdout, `${JSON.stringify(openRpcDocument(packageVersion()), undefined, 2)}\n`);
  return EXIT.completed;
}
