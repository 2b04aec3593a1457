import type { Records, StoredRecord } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Delivery } from "./delivery.ts";

/** The outbox whose lines these are. */
interface LinesOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly space: string;
}

/** A delivery that is still to come, and its record. */
interface Waiting {
  readonly record: StoredRecord;
  readonly delivery: Delivery;
}

/** One whose next try is further away holds up nobody: a line must not stand still for an hour because of one text. */
const LONGEST_HOLD_MS = 60_000;
/** Newest deliveries of a line that are looked at. */
const LOOKED_AT = 100;

/** The lines of an outbox: what stands in one arrives in the order in which it was put in. */
export class DeliveryLines {
  readonly #options: LinesOptions;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  /** The delivery that holds up those of a line from a position on: the first one, which lets the next one go. */
  async ahead(line: string, position?: number): Promise<Delivery | undefined> {
    const now = this.#options.clock.now();
    const holds = ({ delivery: { nextAt = 0 } }: Waiting): boolean => nextAt - now <= LONGEST_HOLD_MS;
    return (await this.#waiting(line, position)).findLast(holds)?.delivery;
  }

  /** The first delivery of a line that is still to come. */
  async first(line: string): Promise<Waiting | undefined> {
    return (await this.#waiting(line)).at(-1);
  }

  /** What of a line is still to come, the newest first; before a position. */
  async #waiting(line: string, position?: number): Promise<readonly Waiting[]> {
    const { records, space } = this.#options;
    const of = { space, parent: parentOfLine(line), newestFirst: true, limit: LOOKED_AT };
    const found = await records.list({ ...of, ...defined({ after: position }) });
    return found
      .map((record) => ({ record, delivery: deliveryOf(record) }))
      .filter(({ delivery }) => delivery.status === "pending");
  }
}

export const parentOfLine = (line: string): string => `line:${line}`;

// Only the outbox writes its space.
export const deliveryOf = ({ value }: StoredRecord): Delivery => JSON.parse(value) as Delivery;
