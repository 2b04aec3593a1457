import type { Clock } from "../../shared/async/clock.ts";

const PING_MS = 15_000;
const DEAD_MS = 45_000;

interface HeartbeatPorts {
  ping(): void;
  /** Nothing has come for too long. */
  dead(): void;
}

/** A detector of dead connections that nobody has closed. */
export class Heartbeat {
  readonly #clock: Clock;
  readonly #ports: HeartbeatPorts;
  #last = 0;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, ports: HeartbeatPorts) {
    this.#clock = clock;
    this.#ports = ports;
  }

  start(): void {
    this.stop();
    this.heard();
    this.#beatLater();
  }

  stop(): void {
    this.#cancel();
  }

  heard(): void {
    this.#last = this.#clock.monotonic();
  }

  #beatLater(): void {
    this.#cancel = this.#clock.after(PING_MS, () => {
      if (this.#clock.monotonic() - this.#last >= DEAD_MS) return this.#ports.dead();
      this.#ports.ping();
      this.#beatLater();
    });
  }
}
