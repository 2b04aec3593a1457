import { systemClock } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { RpcGateway } from "../../rpc/rpc-gateway.ts";
import { openAgent } from "../../app/compose.ts";
import { LastResort } from "../../app/process/last-resort.ts";
import { stopSignal } from "../../app/process/signals.ts";
import type { Io } from "../../app/process/io.ts";
import type { LogChoice } from "../../app/process/log.ts";
import { gatewayPorts } from "../../app/rpc/gateway-ports.ts";
import { gatewaySocket } from "../../app/rpc/gateway-socket.ts";

const DEFAULT = { host: "127.0.0.1", port: 8645 };

/** `agent rpc --listen`: the gateway on a WebSocket, until a signal ends it. */
export async function serveSocket(io: Io, address: string, choice: LogChoice): Promise<void> {
  const place = placeOf(address);
  using last = new LastResort(io, systemClock);
  await using agent = await openAgent(io, { resident: true, log: choice });
  using gateway = new RpcGateway(agent.host, gatewayPorts(io, agent));
  const { socket, ready, logged } = gatewaySocket(gateway, agent.settings, {
    log: agent.log.write,
    hosts: [place.host],
  });
  const listener = await socket.listen(place);
  // Who reads that it listens may stop it at once.
  const stopped = stopSignal(io);
  // A person starts it and copies the first address; lines of JSON are kept by a log, where no token belongs.
  const shown = choice.format === "json" ? logged : ready;
  agent.log.announce(`the gateway is on ${shown(listener.url)}`);
  await stopped;
  const { drainMs } = agent.settings;
  last.start(drainMs, agent.log);
  gateway.announceEnd("The gateway is shutting down.");
  await agent.host.close({ drainMs });
  gateway.close();
  socket.close();
  await listener.close();
}

function partsOf(text: string): { readonly before: string; readonly port: string } {
  if (/^\d+$/.test(text)) return { before: "", port: text };
  const colon = text.endsWith("]") ? -1 : text.lastIndexOf(":");
  if (colon < 0) return { before: text, port: "" };
  return { before: text.slice(0, colon), port: text.slice(colon + 1) };
}

/** Reads `host:port`, `:port`, `port` or `host`; brackets around an IPv6 address. */
function placeOf(address: string): { readonly host: string; readonly port: number } {
  const { before, port } = partsOf(address.trim());
  const host = before.replace(/^\[(.*)\]$/, "$1");
  if (!/^\d{0,5}$/.test(port) || Number(port) > 65_535 || /[\s/]/.test(host)) {
    const message = `--listen takes host:port, such as ${DEFAULT.host}:${DEFAULT.port}, not ${JSON.stringify(address)}.`;
    throw new HostError("command_usage", message);
  }
  return { host: host === "" ? DEFAULT.host : host, port: port === "" ? DEFAULT.port : Number(port) };
}
