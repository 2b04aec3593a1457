import type { Clock } from "../../shared/async/clock.ts";
import type { SessionEvent } from "../events/events.ts";

/** Characters of stored text that readers share, and for how long. */
const HEAVY_TEXT = 64 * 1024;
const SHARED_MS = 1000;

/** Events as one look at a log found them, oldest first. */
export type EventPage = readonly SessionEvent[];

/** A reading of a log that serves several readers: they get the same events, not equal ones. */
export class SharedReads {
  readonly #clock: Clock;
  #newest:
    | { readonly after: number; readonly changes: number; readonly events: EventPage | Promise<EventPage> }
    | undefined;
  #stored: { readonly after: number; readonly events: Promise<EventPage> } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * What has just come. All readers that keep up stand at the same place.
   *
   * @param at - the place, and the count of changes at which a reading of it is good
   */
  newest(
    at: { readonly after: number; readonly changes: number },
    read: () => EventPage | Promise<EventPage>,
  ): EventPage | Promise<EventPage> {
    const known = this.#newest;
    if (known?.after === at.after && known.changes === at.changes) return known.events;
    const own = { ...at, events: read() };
    this.#newest = own;
    if (own.events instanceof Promise)
      own.events.catch(() => {
        if (this.#newest === own) this.#newest = undefined;
      });
    return own.events;
  }

  /** Long text of the past: each reader would hold its own for as long as its client is slow. */
  async stored(after: number, read: () => Promise<EventPage>): Promise<EventPage> {
    const known = this.#stored?.after === after ? await this.#stored.events : [];
    // Nothing may have been there when the other one looked.
    if (known.length > 0) return known;
    const own = { after, events: read() };
    this.#stored = own;
    const drop = (): void => {
      if (this.#stored === own) this.#stored = undefined;
    };
    own.events.then((list) => {
      if (weightOf(list) < HEAVY_TEXT) drop();
      else this.#clock.after(SHARED_MS, drop);
    }, drop);
    return await own.events;
  }

  /** Nobody is likely to read soon. */
  forget(): void {
    this.#newest = undefined;
  }
}

const weightOf = (events: EventPage): number =>
  events.reduce((sum, event) => ("text" in event ? sum + event.text.length : sum), 0);
