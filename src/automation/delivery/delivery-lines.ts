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
/** Deliveries of a line that are read at once; the first one is nearly always what is looked for. */
const PAGE = 10;

/**
 * The lines of an outbox: what stands in one arrives in the order in which it was put in. A line has what is still to come; what
 * is over has gone back to its source.
 */
export class DeliveryLines {
  readonly #options: LinesOptions;

  constructor(options: LinesOptions) {
    this.#options = options;
  }

  /** The delivery that holds up those of a line from a position on: the first one, which lets the next one go. */
  async ahead(line: string, position?: number): Promise<Delivery | undefined> {
    const now = this.#options.clock.now();
    for await (const { record, delivery } of this.#waiting(line)) {
      if (position !== undefined && record.position >= position) return undefined;
      if ((delivery.nextAt ?? 0) - now <= LONGEST_HOLD_MS) return delivery;
    }
    return undefined;
  }

  /** The first delivery of a line that is still to come. */
  async first(line: string): Promise<Waiting | undefined> {
    for await (const waiting of this.#waiting(line)) return waiting;
    return undefined;
  }

  /** What of a line is still to come, the oldest first. */
  async *#waiting(line: string): AsyncGenerator<Waiting, void> {
    const { records, space } = this.#options;
    const of = { space, parent: parentOfLine(line), limit: PAGE };
    for (let after: number | undefined; ;) {
      const found = await records.list({ ...of, ...defined({ after }) });
      for (const record of found) {
        const delivery = deliveryOf(record);
        if (delivery.status === "pending") yield { record, delivery };
        else await this.#takeOut(record, delivery);
      }
      if (found.length < PAGE) return;
      after = found.at(-1)?.position;
    }
  }

  /** Takes a delivery that is over out of its line, where older versions left it. */
  async #takeOut(
    { position: _position, claim: _claim, version, ...draft }: StoredRecord,
    delivery: Delivery,
  ): Promise<void> {
    await this.#options.records.replace({ ...draft, parent: parentOfDelivery(delivery) }, version);
  }
}

/** The parent of a delivery's record: its line while it is still to come, else its source. */
export const parentOfDelivery = ({
  status,
  line,
  source,
}: Pick<Delivery, "status" | "line" | "source">): string =>
  status === "pending" && line !== undefined ? parentOfLine(line) : parentOfSource(source);

export const parentOfSource = ({ kind, id }: Delivery["source"]): string => `${kind}:${id}`;

const parentOfLine = (line: string): string => `line:${line}`;

// Only the outbox writes its space.
export const deliveryOf = ({ value }: StoredRecord): Delivery => JSON.parse(value) as Delivery;
