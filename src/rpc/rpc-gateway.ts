import type { Host } from "../core/index.ts";
import { Connection } from "./gateway/connection.ts";
import { GatewayContext } from "./gateway/gateway-context.ts";
import { displaySettings } from "./gateway/display.ts";
import { skinNamed } from "./gateway/skins.ts";
import { dispatch } from "./handlers/dispatch.ts";
import type { GatewayPorts } from "./ports.ts";
import type { Receiver, Wire } from "./wire.ts";

/** Close codes of WebSocket; other transports only close. */
const GOING_AWAY = 1001;

/**
 * The TUI gateway on a host: takes connections of any transport. Closing one never ends a session; closing the
 * gateway closes its connections and leaves the host as it is.
 */
export class RpcGateway implements Disposable {
  readonly #gateway: GatewayContext;
  readonly #connections = new Set<Connection>();

  constructor(host: Host, ports: GatewayPorts) {
    this.#gateway = new GatewayContext(host, ports);
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** Takes a connection: greets it, and gives what its transport reports to. */
  accept(wire: Wire): Receiver {
    const gateway = this.#gateway;
    const { hex } = gateway.host.services;
    const connection: Connection = new Connection({
      gateway,
      wire,
      id: `conn_${hex(6)}`,
      handle: (call) => dispatch(gateway, call, connection),
      closed: () => {
        this.#connections.delete(connection);
        gateway.left(connection);
      },
    });
    const config = gateway.ports.config.values();
    connection.ready({
      skin: skinNamed(config, displaySettings(config).skin),
      version: gateway.ports.about.version,
      change_events: true,
      replay_epoch: gateway.ports.about.epoch,
      heartbeat: wire.heartbeat,
      shared_session: { version: 1, socket_id: connection.id },
    });
    this.#connections.add(connection);
    gateway.subscribers.add(connection);
    return connection;
  }

  /** Tells everybody that the host is shutting down. */
  announceEnd(message: string): void {
    this.#gateway.broadcast({ type: "gateway.draining", payload: { message } });
  }

  /** Tells all clients that the state of a chat platform changed. */
  announceConnector(platform: string, state: string): void {
    this.#gateway.broadcast({ type: "connectors.changed", payload: { platform, state } });
  }

  close(reason = "The gateway is shutting down."): void {
    for (const connection of this.#connections) connection.close(GOING_AWAY, reason);
    this.#gateway.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
