import type { Records } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { OutgoingEvent } from "./outgoing-event.ts";

/** A durable list of what happened. */
export interface EventSource {
  /** Names its cursor. */
  readonly name: string;
  /** Events after a position, the oldest first, and where to go on; the same position when there is nothing more. */
  read(after: number): Promise<{ readonly events: readonly OutgoingEvent[]; readonly next: number }>;
}

/** The parts of a follower. */
export interface EventFollowerParts {
  readonly records: Records;
  readonly clock: Clock;
  readonly report: (error: HostError) => void;
  readonly sources: readonly EventSource[];
  /** Looks at what is in no list, such as whether connectors are up. */
  readonly watch: () => Promise<void>;
  /** Whether anybody is to be told anything. */
  readonly isWanted: () => boolean;
  /** Takes an event; durable when it resolves, and taken once for each id. */
  readonly publish: (event: OutgoingEvent) => Promise<void>;
}

const TICK_MS = 1000;
const CURSORS = "outgoing.cursor";
const ROLE = { space: "outgoing.role", key: "follower", value: "{}", dueAt: 0 } as const;

/**
 * The reader of what happened in a home, from a cursor: it misses nothing that happened while no process of the home
 * followed. One process at a time follows; the next one goes on where a dead one stopped.
 */
export class EventFollower extends PollingWorker {
  readonly #parts: EventFollowerParts;
  #isRoleThere = false;
  #follows = false;

  constructor(parts: EventFollowerParts) {
    const { clock, report } = parts;
    super({ clock, report, concurrency: 1, everyMs: TICK_MS, poll: () => this.#look() });
    this.#parts = parts;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    if (this.#follows) await this.#parts.records.put(ROLE);
    this.#follows = false;
  }

  async #look(): Promise<void> {
    if (!this.#parts.isWanted() || !(await this.#takesRole())) return;
    for (const source of this.#parts.sources) await this.#follow(source);
    await this.#parts.watch();
  }

  async #takesRole(): Promise<boolean> {
    if (this.#follows) return true;
    const { records } = this.#parts;
    if (!this.#isRoleThere) await records.add(ROLE);
    this.#isRoleThere = true;
    this.#follows = (await records.claimDue(ROLE.space, 1)).length > 0;
    return this.#follows;
  }

  async #follow(source: EventSource): Promise<void> {
    const { records, publish } = this.#parts;
    const { name } = source;
    let position = positionIn((await records.get(CURSORS, name))?.value);
    while (!this.signal.aborted) {
      const { events, next } = await source.read(position);
      if (next === position) return;
      for (const event of events) await publish(event);
      // Behind what was taken: after a crash it is taken once more, under the same ids.
      await records.put({ space: CURSORS, key: name, value: JSON.stringify({ position: next }) });
      position = next;
    }
  }
}

function positionIn(value = "{}"): number {
  // Only this file writes this space.
  const { position = 0 } = JSON.parse(value) as { readonly position?: number };
  return position;
}
