import { defined } from "../../shared/json/defined.ts";
import type { RecordDraft, Records, StoredRecord } from "../../core/index.ts";
import { type Clock, sleep } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { PollingWorker } from "../../shared/async/polling-worker.ts";
import { RecordSpace, type ValuePage } from "../work/record-space.ts";
import type { Delivery, DeliveryAnswer, DeliveryDraft, DeliveryStatus, Senders } from "./delivery.ts";
import { DeliveryLines, deliveryOf, parentOfDelivery, parentOfSource } from "./delivery-lines.ts";
import { beginTry, endTry } from "./delivery-tries.ts";

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
  /** The space of its records; those of one outbox are in no other one's way. `delivery` by default. */
  readonly space?: string;
}

/** A page of an outbox. */
export interface DeliveryQuery {
  readonly status?: DeliveryStatus;
  /** Only what came from there. */
  readonly source?: Delivery["source"];
  /** Only what is wanted, besides. */
  readonly isWanted?: (delivery: Delivery) => boolean;
  /** The `next` of the page before. */
  readonly after?: number;
  readonly limit: number;
}

const SPACE = "delivery";
/** Deliveries that are over; the oldest go first. */
const KEPT = 20_000;
const TRIMMED_EVERY = 500;
const KEPT_MS = 30 * 24 * 3_600_000;
const TICK_MS = 1000;
const CONCURRENCY = 8;
/** Their failures pass; all others stay. */
const PASSING: ReadonlySet<string> = new Set(["delivery_failed", "fetch_failed", "timeout", "internal"]);

/**
 * An outbox of texts, as records: a text that was put in is sent, also after a crash; a text that cannot be sent stays
 * to be looked at and sent again. A try counts before it begins, so that there are never more than promised.
 */
export class Outbox extends PollingWorker {
  readonly #options: OutboxOptions;
  readonly #space: string;
  readonly #deliveries: RecordSpace<Delivery>;
  readonly #lines: DeliveryLines;
  #ended = 0;

  constructor(options: OutboxOptions) {
    const { clock, report, concurrency = CONCURRENCY, records, space = SPACE } = options;
    super({ clock, report, concurrency, everyMs: TICK_MS, poll: () => this.#look() });
    this.#options = options;
    this.#space = space;
    this.#lines = new DeliveryLines({ records, clock, space });
    const encode = (delivery: Delivery): RecordDraft => this.#recordOf(delivery, clock.now());
    this.#deliveries = new RecordSpace(records, { space, name: "Delivery", encode });
  }

  /** Takes a text; durable when it resolves. What is there already under the id stays. */
  async put(draft: DeliveryDraft): Promise<Delivery> {
    const { records, clock } = this.#options;
    const delivery: Delivery = { ...draft, status: "pending", attempts: 0, createdAt: clock.now() };
    const sent = await this.#sendAtOnce(delivery);
    if (sent !== undefined) return sent;
    return deliveryOf((await records.add(this.#recordOf(delivery, clock.now()))).record);
  }

  /** Whether a delivery of a line is on its way, behind which what comes now has to stand. */
  async isHeldUp(line: string): Promise<boolean> {
    return (await this.#lines.ahead(line)) !== undefined;
  }

  get(id: string): Promise<Delivery | undefined> {
    return this.#deliveries.get(id);
  }

  /** The newest first. */
  async list(wanted: Pick<DeliveryQuery, "status" | "limit">): Promise<readonly Delivery[]> {
    return (await this.page(wanted)).values;
  }

  /** The newest first. */
  page({ status, source, isWanted, ...range }: DeliveryQuery): Promise<ValuePage<Delivery>> {
    const query = { ...range, newestFirst: true, ...defined({ parent: source && parentOfSource(source) }) };
    return this.#deliveries.page(
      query,
      (each) => (status === undefined || each.status === status) && isWanted?.(each) !== false,
    );
  }

  /**
   * Sends a text once more from the beginning, also one that had arrived, or that waits for its next try.
   *
   * @throws HostError `not_found`, `conflict` while it is on its way
   */
  async redeliver(id: string): Promise<Delivery> {
    const { records, clock } = this.#options;
    const record = await records.get(this.#space, id);
    if (record === undefined) throw new HostError("not_found", `There is no delivery ${id}.`);
    if (record.claim?.alive === true)
      throw new HostError("conflict", `Delivery ${id} is on its way. Look again when this try is over.`);
    const {
      error: _error,
      endedAt: _endedAt,
      partsSent: _sent,
      uncertain: _uncertain,
      nextAt: _nextAt,
      ...delivery
    } = deliveryOf(record);
    const again: Delivery = { ...delivery, status: "pending", attempts: 0 };
    if ((await records.replace(this.#recordOf(again, clock.now()), record.version)) === undefined) {
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
    for (const record of await records.claimDue(this.#space, capacity)) {
      // A result that cannot be recorded is reported also while the process ends.
      const sending = this.#whileClaimed(record);
      void this.track(sending.catch((thrown: unknown) => report(toHostError(thrown))));
    }
  }

  /** Goes on with a delivery when the store has failed in the middle of it: nobody else takes it as long as this process lives. */
  async #whileClaimed(claimed: StoredRecord): Promise<void> {
    const { records, clock, report } = this.#options;
    let record: StoredRecord | undefined = claimed;
    while (record !== undefined && record.claim?.hostId === claimed.claim?.hostId) {
      try {
        return await this.#inTurn(record);
      } catch (thrown) {
        if (this.signal.aborted) throw thrown;
        report(toHostError(thrown));
      }
      await sleep(clock, TICK_MS, this.signal);
      if (this.signal.aborted) return;
      record = await records.get(this.#space, claimed.key).catch(() => record);
    }
  }

  /** Tries a delivery, unless one before it in its line is still to come. */
  async #inTurn(record: StoredRecord): Promise<void> {
    const { records, clock } = this.#options;
    const found = deliveryOf(record);
    const { line } = found;
    if (line === undefined) return await this.#attempt(found, record.version);
    const ahead = await this.#lines.ahead(line, record.position);
    if (ahead === undefined) await this.#attempt(found, record.version);
    else {
      const later = Math.max(clock.now() + TICK_MS, ahead.nextAt ?? 0);
      await records.replace(this.#recordOf(found, later), record.version);
      // The one before it may have gone meanwhile, and have found that this one was being looked at.
      if ((await this.#lines.ahead(line, record.position)) !== undefined) return;
    }
    await this.#goOn(line);
  }

  /** Lets the next one of a line go as soon as those before it have gone. */
  async #goOn(line: string): Promise<void> {
    const { records, clock } = this.#options;
    const next = await this.#lines.first(line);
    if (next === undefined || next.record.claim !== undefined || next.delivery.nextAt !== undefined) return;
    await records.replace(this.#recordOf(next.delivery, clock.now()), next.record.version);
    await this.pollAnew();
  }

  async #attempt(found: Delivery, version: number): Promise<void> {
    const { records, clock, senders } = this.#options;
    const sender = senders(found.target.kind);
    const waits = sender?.retryMs ?? [];
    if (found.attempts > waits.length)
      return await this.#end(found, version, "It is not known whether the last try arrived.");
    const delivery: Delivery = { ...beginTry(found, clock.now()), attempts: found.attempts + 1 };
    const onItsWay: Delivery = { ...delivery, uncertain: true };
    const begun = await records.replace({ ...this.#recordOf(onItsWay, clock.now()), claim: true }, version);
    if (begun === undefined) return;
    const started = clock.monotonic();
    let answer: DeliveryAnswer | undefined;
    const told = (error?: string) =>
      endTry(delivery, { ms: Math.round(clock.monotonic() - started), ...defined({ answer, error }) });
    try {
      if (sender === undefined) throw notEnabled(delivery);
      await sender.send(delivery, this.signal, (heard) => (answer = heard));
    } catch (thrown) {
      const error = toHostError(thrown);
      const { uncertain: _before, ...known } = told(error.message);
      const left: Delivery = { ...known, ...progressOf(delivery, error) };
      if (this.signal.aborted || error.code === "interrupted") {
        // Who would have sent it ends, or begins anew: that is no try, and whether it arrived is not known.
        const attempts = Math.min(left.attempts, found.attempts);
        const again: Delivery = { ...left, attempts, uncertain: true };
        await records.replace(this.#recordOf(again, clock.now() + TICK_MS), begun.version);
        return;
      }
      const wait = PASSING.has(error.code) ? waits[Math.max(1, left.attempts) - 1] : undefined;
      if (wait === undefined) return await this.#end(known, begun.version, error.message);
      const due = clock.now() + Math.max(wait, error.details.retryAfterMs ?? 0);
      const later: Delivery = { ...left, error: error.message, nextAt: due };
      await records.replace(this.#recordOf(later, due), begun.version);
      return;
    }
    await this.#end(told(), begun.version);
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
    await records.replace(this.#recordOf(ended, clock.now()), version);
    this.#ended += 1;
    if (this.#ended % TRIMMED_EVERY === 0) await records.trim(this.#space, KEPT);
  }

  #recordOf(delivery: Delivery, dueAt: number): RecordDraft {
    const { id, status, endedAt = dueAt } = delivery;
    const value = JSON.stringify(delivery);
    const base = { space: this.#space, key: id, parent: parentOfDelivery(delivery), value };
    return status === "pending" ? { ...base, dueAt } : { ...base, expiresAt: endedAt + KEPT_MS };
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

const notEnabled = ({ target }: Delivery): HostError =>
  new HostError("config_invalid", `The delivery target ${target.kind} is not enabled in config.yaml.`);
