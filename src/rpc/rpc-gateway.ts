import type { Host } from "../core/index.ts";
import { Connection } from "./gateway/connection.ts";
import { Desk } from "./gateway/desk.ts";
import { display } from "./gateway/display.ts";
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
  readonly #desk: Desk;
  readonly #connections = new Set<Connection>();

  constructor(host: Host, ports: GatewayPorts) {
    this.#desk = new Desk(host, ports);
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#connections.size;
  }

  /** Takes a connection: greets it, and gives what its transport reports to. */
  accept(wire: Wire): Receiver {
    const desk = this.#desk;
    const { hex } = desk.host.services;
    const connection: Connection = new Connection({
      desk,
      wire,
      id: `conn_${hex(6)}`,
      handle: (call) => dispatch(desk, call, connection),
      closed: () => {
        this.#connections.delete(connection);
        desk.left(connection);
      },
    });
    const config = desk.ports.config.values();
    connection.ready({
      skin: skinNamed(config, display(config).skin),
      version: desk.ports.about.version,
      change_events: true,
      replay_epoch: desk.ports.about.epoch,
      heartbeat: wire.heartbeat,
      shared_session: { version: 1, socket_id: connection.id },
    });
    this.#connections.add(connection);
    desk.audience.add(connection);
    return connection;
  }

  /** Tells everybody that the host is shutting down. */
  announceEnd(message: string): void {
    this.#desk.broadcast({ type: "gateway.draining", payload: { message } });
  }

  /** Closes all connections. */
  close(reason = "The gateway is shutting down."): void {
    for (const connection of this.#connections) connection.close(GOING_AWAY, reason);
    this.#desk.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
