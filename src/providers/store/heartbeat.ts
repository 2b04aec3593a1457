import type { Clock } from "../../shared/async/clock.ts";
import type { Liveness } from "./liveness.ts";
import type { StoreBackend } from "./operations.ts";

const EVERY = 2_000;

/** The parts with which a host works with the others of its home. */
interface HostPorts {
  readonly backend: StoreBackend;
  readonly clock: Clock;
  readonly liveness: Liveness;
}

/** The parts of those who watch other hosts. */
export interface HeartbeatPorts extends HostPorts {
  /** A host that was watched is dead. */
  readonly died: () => void;
}

/** The heartbeat of this host, and the observation of other hosts that only their heartbeat can prove alive. */
export class HostHeartbeat {
  readonly #ports: HeartbeatPorts;
  /** Hosts that were dead when they were last looked at. */
  #dead: ReadonlySet<string> = new Set();
  readonly #beating = new Loop(() => this.#beat());
  readonly #observing = new Loop(() => this.#observe());

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports;
  }

  /** Starts to beat: this host holds something now. */
  beat(): void {
    this.#beating.start(this.#ports.clock);
  }

  /** Starts to observe: a host was seen that only its heartbeat can prove alive. */
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
    const { backend, liveness, died } = this.#ports;
    const hosts = (await backend.call("hosts", {})).map(({ host }) => host);
    liveness.keep(hosts);
    // Not `some`: each host must be observed.
    const watched = hosts.filter((host) => liveness.needsWatching(host));
    const dead = new Set(watched.filter((host) => !liveness.isAlive(host)).map(({ id }) => id));
    const isNew = [...dead].some((id) => !this.#dead.has(id));
    this.#dead = dead;
    if (isNew) died();
    return dead.size < watched.length;
  }
}

/** Work that is repeated every two seconds until it is no longer needed; a start in between is never missed. */
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
    this.#cancel = clock.after(EVERY, () => {
      this.#wanted = false;
      void this.#work()
        // The store may answer again the next time.
        .catch(() => true)
        .then((more) => {
          this.#running = !this.#stopped && (more || this.#wanted);
          if (this.#running) this.#schedule(clock);
        });
    });
  }
}
