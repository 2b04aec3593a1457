import { RecordLease, type Records } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { OutgoingEvent } from "./outgoing-event.ts";

/** A durable list of what happened. */
export interface EventSource<Event = OutgoingEvent> {
  /** Names its cursor. */
  readonly name: string;
  /** Events after a position, the oldest first, and where to go on; the same position when there is nothing more. */
  read(after: number): Promise<{ readonly events: readonly Event[]; readonly next: number }>;
}

/** The parts of a follower. */
export interface EventFollowerParts<Event> {
  readonly records: Records;
  readonly clock: Clock;
  /** This host among those that share the records. */
  readonly hostId: string;
  readonly report: (error: HostError) => void;
  /** Begins the spaces of its records: followers of different names are in no other one's way. */
  readonly name: string;
  readonly sources: readonly EventSource<Event>[];
  /** Looks at what is in no list, such as whether connectors are up. */
  readonly watch?: () => Promise<void>;
  /** Whether anybody is to be told anything. */
  readonly isWanted: () => boolean | Promise<boolean>;
  /** Takes an event; durable when it resolves, and taken once for each id. */
  readonly publish: (event: Event) => Promise<void>;
}

const TICK_MS = 1000;

/**
 * The reader of what happened in a home, from a cursor: it misses nothing that happened while no process of the home
 * followed. One host at a time follows; the next one goes on where a dead one stopped.
 */
export class EventFollower<Event = OutgoingEvent> extends PollingWorker {
  readonly #parts: EventFollowerParts<Event>;
  readonly #role: RecordLease;

  constructor(parts: EventFollowerParts<Event>) {
    const { records, clock, hostId, report, name } = parts;
    super({ clock, report, concurrency: 1, everyMs: TICK_MS, poll: () => this.#look() });
    this.#parts = parts;
    this.#role = new RecordLease({ records, clock, hostId, space: `${name}.role`, key: "follower" });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await this.#role.release();
  }

  async #look(): Promise<void> {
    if (!(await this.#parts.isWanted()) || !(await this.#role.hold())) return;
    for (const source of this.#parts.sources) await this.#follow(source);
    await this.#parts.watch?.();
  }

  async #follow(source: EventSource<Event>): Promise<void> {
    const { records, publish } = this.#parts;
    const cursors = `${this.#parts.name}.cursor`;
    const { name } = source;
    let position = positionIn((await records.get(cursors, name))?.value);
    while (!this.signal.aborted) {
      const { events, next } = await source.read(position);
      if (next === position) return;
      for (const event of events) await publish(event);
      // Behind what was taken: after a crash it is taken once more, under the same ids.
      await records.put({ space: cursors, key: name, value: JSON.stringify({ position: next }) });
      position = next;
    }
  }
}

function positionIn(value = "{}"): number {
  // Only this file writes this space.
  const { position = 0 } = JSON.parse(value) as { readonly position?: number };
  return position;
}
