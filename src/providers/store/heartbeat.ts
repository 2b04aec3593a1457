import type { Clock } from "../../shared/async/clock.ts";
import type { Liveness } from "./liveness.ts";
import type { StoreBackend } from "./operations.ts";

const BEAT_EVERY = 2_000;

export interface HeartbeatPorts {
  readonly backend: StoreBackend;
  readonly clock: Clock;
  readonly liveness: Liveness;
}

/** Shows others that this host lives, and looks at the heartbeats of hosts that nothing else can be known about. */
export class HostHeartbeat {
  readonly #ports: HeartbeatPorts;
  readonly #beating = new Loop(() => this.#beat());
  readonly #observing = new Loop(() => this.#observe());

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports;
  }

  /** This host holds something now. */
  beat(): void {
    this.#beating.start(this.#ports.clock);
  }

  /** A host was seen whose heartbeat must be looked at often enough to count. */
  observe(): void {
    this.#observing.start(this.#ports.clock);
  }

  stop(): void {
    this.#beating.stop();
    this.#observing.stop();
  }

  #beat(): Promise<boolean> {
    const { backend, clock } = this.#ports;
    return backend.call("beat", { now: clock.now() });
  }

  async #observe(): Promise<boolean> {
    const { backend, liveness } = this.#ports;
    const hosts = (await backend.call("hosts", {})).map(({ host }) => host);
    liveness.keep(hosts);
    // Not `some`: each of them must be looked at.
    return hosts.filter((host) => liveness.isRemote(host) && liveness.isAlive(host)).length > 0;
  }
}

/** Does something every two seconds until it is no longer needed; a start in between is never missed. */
class Loop {
  readonly #work: () => Promise<boolean>;
  #wanted = false;
  #running = false;
  #stopped = false;
  #cancel: () => void = () => undefined;

  constructor(work: () => Promise<boolean>) {
    this.#work = work;
  }

  start(clock: Clock): void {
    this.#wanted = true;
    if (this.#running || this.#stopped) return;
    this.#running = true;
    this.#schedule(clock);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #schedule(clock: Clock): void {
    this.#cancel = clock.after(BEAT_EVERY, () => {
      this.#wanted = false;
      void this.#work()
        // Whether the store answers again shows the next time.
        .catch(() => true)
        .then((more) => {
          this.#running = !this.#stopped && (more || this.#wanted);
          if (this.#running) this.#schedule(clock);
        });
    });
  }
}
