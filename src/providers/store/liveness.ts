import type { Clock } from "../../shared/async/clock.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import type { HostEntry } from "./operations.ts";

/** A host is dead when its heartbeat stood still for this many milliseconds. */
const SILENCE = 10_000;
/** At most this many milliseconds count between two observations: this process may have slept in between. */
const LONGEST_INTERVAL = 3_000;

/** The heartbeat of a host when it was last read. */
interface Observation {
  readonly beat: number;
  readonly at: number;
  /** Milliseconds that the counter was seen to stand still. */
  readonly still: number;
}

/** The options of a liveness judge. */
export interface LivenessOptions {
  readonly hostId: string;
  readonly identity: ProcessIdentity;
  readonly clock: Clock;
  /** Asks the system whether a process of this machine and namespace still runs. */
  readonly isRunning: (process: ProcessIdentity) => boolean;
}

/**
 * The judge of whether other hosts live. It asks the system about hosts whose process ids mean something here: a paused
 * process and a sleeping laptop keep what they hold. For all others only the heartbeat counts.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #observations = new Map<string, Observation>();
  /** The beat at which each host was when it was found dead. */
  readonly #deadAt = new Map<string, number>();

  constructor(options: LivenessOptions) {
    this.#options = options;
  }

  isAlive(host: HostEntry): boolean {
    const isAlive = this.#judge(host);
    if (!isAlive) this.#deadAt.set(host.id, host.beat);
    return isAlive;
  }

  /** Whether its heartbeat must be watched. */
  needsWatching(host: HostEntry): boolean {
    return host.expired !== undefined || this.isRemote(host);
  }

  /** Whether a host's process may run: on another machine any may. */
  #isThere(host: HostEntry): boolean {
    const { identity, isRunning } = this.#options;
    return this.isRemote(host) || (host.bootId === identity.bootId && isRunning(host));
  }

  /** Whether only its heartbeat can prove a host alive, because its process id means nothing here. */
  isRemote(host: ProcessIdentity): boolean {
    const { identity } = this.#options;
    if (host.pidNamespace === "" || host.pidNamespace !== identity.pidNamespace) return true;
    const sameBoot = host.bootId !== "" && host.bootId === identity.bootId;
    const sameMachine = host.machineId !== "" && host.machineId === identity.machineId;
    return !sameBoot && !sameMachine;
  }

  /** Forgets hosts that are no longer there. */
  keep(hosts: readonly HostEntry[]): void {
    const known = new Set(hosts.map(({ id }) => id));
    for (const notes of [this.#observations, this.#deadAt])
      for (const id of notes.keys()) if (!known.has(id)) notes.delete(id);
  }

  /** The beat at which a host was found dead last; it may have shown life since. */
  deadAt(id: string): number | undefined {
    return this.#deadAt.get(id);
  }

  #judge(host: HostEntry): boolean {
    const { hostId, identity, isRunning } = this.#options;
    if (host.ended) return false;
    if (host.id === hostId) return true;
    // Both must say so: neither a database whose clock jumps nor an observer that slept takes a living host for dead.
    if (host.expired !== undefined) return this.#isThere(host) && (this.#isBeating(host) || !host.expired);
    if (this.isRemote(host)) return this.#isBeating(host);
    return host.bootId === identity.bootId && isRunning(host);
  }

  #isBeating(host: HostEntry): boolean {
    const at = this.#options.clock.monotonic();
    const last = this.#observations.get(host.id);
    const same = last !== undefined && last.beat === host.beat;
    const still = same ? last.still + Math.min(at - last.at, LONGEST_INTERVAL) : 0;
    this.#observations.set(host.id, { beat: host.beat, at, still });
    return still < SILENCE;
  }
}
