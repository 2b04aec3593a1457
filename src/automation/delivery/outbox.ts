import { defined } from "../../shared/json/defined.ts";
import type { RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import type { Delivery, DeliveryDraft, DeliveryStatus, Senders } from "./delivery.ts";

/** The parts of an outbox, and its limits. */
export interface OutboxOptions {
  readonly records: Records;
  readonly clock: Clock;
  readonly senders: Senders;
  /** Told of failures that reach no caller. */
  readonly report: (error: HostError) => void;
  /** Told of each delivery that is over. */
  readonly settled?: (delivery: Delivery) => Promise<void>;
  /** Deliveries that this process sends at once; 8 by default. */
  readonly concurrency?: number;
}

const SPACE = "delivery";
const KEPT_MS = 30 * 24 * 3_600_000;
const TICK_MS = 1000;
const CONCURRENCY = 8;
const SCANNED = 5000;
/** Their failures pass; all others stay. */
const PASSING: ReadonlySet<string> = new Set(["delivery_failed", "fetch_failed", "timeout", "internal"]);

/**
 * An outbox of texts, as records: a text that was put in is sent, also after a crash; a text that cannot be sent stays
 * to be looked at and sent again. A try counts before it begins, so that there are never more than promised.
 */
export class Outbox extends PollingWorker {
  readonly #options: OutboxOptions;

  constructor(options: OutboxOptions) {
    const { clock, report, concurrency = CONCURRENCY } = options;
    super({ clock, report, concurrency, everyMs: TICK_MS, poll: () => this.#look() });
    this.#options = options;
  }

  /** Takes a text; durable when it resolves. What is there already under the id stays. */
  async put(draft: DeliveryDraft): Promise<Delivery> {
    const { records, clock } = this.#options;
    const delivery: Delivery = { ...draft, status: "pending", attempts: 0, createdAt: clock.now() };
    const sent = await this.#sendAtOnce(delivery);
    if (sent !== undefined) return sent;
    return deliveryOf((await records.add(recordOf(delivery, clock.now()))).record);
  }

  async get(id: string): Promise<Delivery | undefined> {
    const record = await this.#options.records.get(SPACE, id);
    return record && deliveryOf(record);
  }

  /** The newest first. */
  async list(wanted: {
    readonly status?: DeliveryStatus;
    readonly limit: number;
  }): Promise<readonly Delivery[]> {
    const { status, limit } = wanted;
    const query = { space: SPACE, newestFirst: true, limit: status === undefined ? limit : SCANNED };
    const deliveries = (await this.#options.records.list(query)).map(deliveryOf);
    return deliveries.filter((each) => status === undefined || each.status === status).slice(0, limit);
  }

  /** Sends a text once more from the beginning, also one that had arrived. @throws HostError `not_found`, `conflict` */
  async redeliver(id: string): Promise<Delivery> {
    const { records, clock } = this.#options;
    const record = await records.get(SPACE, id);
    if (record === undefined) throw new HostError("not_found", `There is no delivery ${id}.`);
    const {
      error: _error,
      endedAt: _endedAt,
      partsSent: _sent,
      uncertain: _uncertain,
      ...delivery
    } = deliveryOf(record);
    if (delivery.status === "pending") throw new HostError("conflict", `Delivery ${id} is still being sent.`);
    const again: Delivery = { ...delivery, status: "pending", attempts: 0 };
    if ((await records.replace(recordOf(again, clock.now()), record.version)) === undefined) {
      throw new HostError("conflict", `Delivery ${id} is being sent by somebody else.`);
    }
    return again;
  }

  async #sendAtOnce(delivery: Delivery): Promise<Delivery | undefined> {
    const { clock, senders } = this.#options;
    const sender = senders(delivery.target.kind);
    if (sender?.atOnce !== true) return undefined;
    try {
      await sender.send(delivery, this.signal);
      return { ...delivery, status: "delivered", attempts: 1, endedAt: clock.now() };
    } catch {
      // It is recorded then, and tried again like all others.
      return undefined;
    }
  }

  async #look(): Promise<void> {
    const { records, report } = this.#options;
    const { capacity } = this;
    if (capacity === 0) return;
    for (const record of await records.claimDue(SPACE, capacity)) {
      // A result that cannot be recorded is reported also while the process ends.
      const sending = this.#attempt(deliveryOf(record), record.version);
      void this.track(sending.catch((thrown: unknown) => report(toHostError(thrown))));
    }
  }

  async #attempt(found: Delivery, version: number): Promise<void> {
    const { records, clock, senders } = this.#options;
    const sender = senders(found.target.kind);
    const waits = sender?.retryMs ?? [];
    if (found.attempts > waits.length)
      return await this.#end(found, version, "It is not known whether the last try arrived.");
    const delivery: Delivery = { ...found, attempts: found.attempts + 1 };
    const onItsWay: Delivery = { ...delivery, uncertain: true };
    const begun = await records.replace({ ...recordOf(onItsWay, clock.now()), claim: true }, version);
    if (begun === undefined) return;
    try {
      if (sender === undefined) throw notEnabled(delivery);
      await sender.send(delivery, this.signal);
    } catch (thrown) {
      const error = toHostError(thrown);
      const { uncertain: _before, ...known } = delivery;
      const left: Delivery = { ...known, ...progressOf(delivery, error) };
      if (this.signal.aborted) {
        // It may have arrived or not: the try counts, and the next process goes on from there.
        await records.replace(recordOf({ ...left, uncertain: true }, clock.now()), begun.version);
        return;
      }
      const wait = PASSING.has(error.code) ? waits[Math.max(1, left.attempts) - 1] : undefined;
      if (wait === undefined) return await this.#end(delivery, begun.version, error.message);
      const due = clock.now() + Math.max(wait, error.details.retryAfterMs ?? 0);
      await records.replace(recordOf({ ...left, error: error.message }, due), begun.version);
      return;
    }
    await this.#end(delivery, begun.version);
  }

  async #end(
    { error: _error, uncertain: _uncertain, ...delivery }: Delivery,
    version: number,
    error?: string,
  ): Promise<void> {
    const { records, clock, settled } = this.#options;
    const ended: Delivery = {
      ...delivery,
      status: error === undefined ? "delivered" : "failed",
      endedAt: clock.now(),
      ...defined({ error }),
    };
    // Told before it is recorded: after a crash it is told again rather than never.
    await settled?.(ended);
    await records.replace(recordOf(ended, clock.now()), version);
  }
}

/** What a try has achieved that failed on the way. */
function progressOf({ partsSent = 0, uncertain }: Delivery, { details }: HostError): Partial<Delivery> {
  const sent = details.partsSent ?? 0;
  const isNext = sent > partsSent;
  const fate =
    details.uncertain === true || (!isNext && uncertain === true) ? { uncertain: true as const } : {};
  return isNext ? { partsSent: sent, attempts: 0, ...fate } : fate;
}

function recordOf(delivery: Delivery, dueAt: number): RecordDraft {
  const { id, source } = delivery;
  const parent = `${source.kind}:${source.id}`;
  const base = { space: SPACE, key: id, parent, value: JSON.stringify(delivery) };
  return delivery.status === "pending"
    ? { ...base, dueAt }
    : { ...base, expiresAt: (delivery.endedAt ?? dueAt) + KEPT_MS };
}

// Only this file writes this space.
const deliveryOf = ({ value }: StoredRecord): Delivery => JSON.parse(value) as Delivery;

const notEnabled = ({ target }: Delivery): HostError =>
  new HostError("config_invalid", `The delivery target ${target.kind} is not enabled in config.yaml.`);
