import type { Clock, Records } from "../../core/index.ts";
import { eventId, type OutgoingEvent } from "./outgoing-event.ts";

/** A connector, as whoever has it noted it last. */
export interface WatchedConnector {
  readonly platform: string;
  readonly title: string;
  readonly state: "up" | "down" | "off";
  /** Unix milliseconds. */
  readonly since: number;
  /** Why it is down. */
  readonly error?: string;
}

/** The parts of a watch. */
export interface ConnectorWatchParts {
  readonly records: Records;
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly connectors: () => Promise<readonly WatchedConnector[]>;
  readonly publish: (event: OutgoingEvent) => Promise<void>;
}

const SPACE = "outgoing.connector-down";
const LOOK_MS = 10_000;
/** A connection that comes back at once was not away. */
const PATIENCE_MS = 60_000;

/** Tells of connectors that are down, and of those that are up again, once each. */
export class ConnectorWatch {
  readonly #parts: ConnectorWatchParts;
  #lookedAt = Number.NEGATIVE_INFINITY;
  /** When each was first seen down: what an earlier process noted says nothing of this one. */
  readonly #seenDown = new Map<string, number>();

  constructor(parts: ConnectorWatchParts) {
    this.#parts = parts;
  }

  /** Looks when the last look is some seconds ago. */
  async look(): Promise<void> {
    const { clock, connectors } = this.#parts;
    if (clock.monotonic() - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = clock.monotonic();
    for (const connector of await connectors()) await this.#compare(connector);
  }

  async #compare({ platform, title, state, since, error }: WatchedConnector): Promise<void> {
    const { records, clock, publish } = this.#parts;
    const wasDown = (await records.get(SPACE, platform)) !== undefined;
    const text = (): Promise<string | undefined> => Promise.resolve(error);
    const tell = (type: "connector.down" | "connector.up", at: number): Promise<void> =>
      publish({ type, platform, title, id: eventId(type, platform, since), at, text });
    // Told before it is noted: after a crash it is told again, under the same id.
    if (state === "up" && wasDown) {
      await tell("connector.up", since);
      await records.remove(SPACE, platform);
    }
    if (state !== "down") return void this.#seenDown.delete(platform);
    const seen = this.#seenDown.get(platform) ?? clock.monotonic();
    this.#seenDown.set(platform, seen);
    if (!wasDown && clock.monotonic() - seen >= PATIENCE_MS) {
      await tell("connector.down", clock.now());
      await records.put({ space: SPACE, key: platform, value: "{}" });
    }
  }
}
