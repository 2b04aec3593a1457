import type { Clock, RandomHex, Records } from "../../core/index.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { type Delivery, Outbox } from "../delivery/index.ts";
import type { Job, JobRun } from "../jobs/index.ts";
import type { AddressBook } from "./address-book.ts";
import type { Address } from "./address.ts";
import { AddressHealth } from "./address-health.ts";
import { ConnectorWatch, type WatchedConnector } from "./connector-watch.ts";
import { EventFollower, type EventSource } from "./event-follower.ts";
import { EVENT_TARGET, EventPublisher } from "./event-publisher.ts";
import { eventSender, type PostEvent } from "./event-sender.ts";
import { eventId } from "./outgoing-event.ts";

/** The parts of outgoing events. */
export interface OutgoingEventsParts {
  readonly records: Records;
  readonly clock: Clock;
  /** This host among those that share the records. */
  readonly hostId: string;
  readonly hex: RandomHex;
  readonly report: (error: HostError) => void;
  readonly addresses: AddressBook;
  readonly post: PostEvent;
  /** The lists that are followed from a cursor. */
  readonly sources: readonly EventSource[];
  readonly connectors: () => Promise<readonly WatchedConnector[]>;
  /** Tells people that an address was switched off. */
  readonly switchedOff: (address: Address, reason: string) => Promise<void>;
}

const SPACE = "outgoing.delivery";
const CONCURRENCY = 32;

/** The events that a home sends to other software. Nothing is followed or sent before `start`. */
export class OutgoingEvents implements AsyncDisposable {
  readonly addresses: AddressBook;
  readonly health: AddressHealth;
  /** Of events alone: an address that hangs holds up nothing else. */
  readonly outbox: Outbox;
  readonly publisher: EventPublisher;
  readonly follower: EventFollower;
  readonly #clock: Clock;

  constructor(parts: OutgoingEventsParts) {
    const { records, clock, hostId, report, addresses, post, sources, connectors, switchedOff } = parts;
    this.#clock = clock;
    this.addresses = addresses;
    this.health = new AddressHealth({
      records,
      clock,
      async switchOff(address, reason) {
        if (await addresses.switchOff(address.id, reason)) await switchedOff(address, reason);
      },
    });
    const sender = eventSender({ addresses, health: this.health, clock, post });
    const senders = (kind: string) => (kind === EVENT_TARGET ? sender : undefined);
    this.outbox = new Outbox({ records, clock, senders, report, space: SPACE, concurrency: CONCURRENCY });
    this.publisher = new EventPublisher({ ...parts, outbox: this.outbox });
    const publish = this.publisher.publish.bind(this.publisher);
    const watch = new ConnectorWatch({ records, clock, publish, connectors });
    this.follower = new EventFollower({
      records,
      clock,
      hostId,
      report,
      name: "outgoing",
      sources,
      publish,
      isWanted: () => addresses.list().some(({ enabled }) => enabled),
      watch: () => watch.look(),
    });
  }

  start(): void {
    this.outbox.start();
    this.follower.start();
  }

  /** Switches an address on, from now on, or off. @throws HostError `not_found` */
  async turn(id: string, enabled: boolean): Promise<Address> {
    const address = await this.addresses.turn(id, enabled);
    if (enabled) await this.health.worked(id);
    return address;
  }

  /** Removes an address; what was sent to it stays to be looked at. @throws HostError `not_found` */
  async remove(id: string): Promise<Address> {
    const address = await this.addresses.remove(id);
    await this.health.worked(id);
    return address;
  }

  /** Tells of a run that failed; durable when it resolves. */
  jobFailed(job: Pick<Job, "id" | "name">, run: JobRun): Promise<void> {
    const { id: runId, sessionId, error, endedAt } = run;
    return this.publisher.publish({
      type: "job.failed",
      id: eventId("job.failed", runId),
      at: endedAt ?? this.#clock.now(),
      jobId: job.id,
      jobName: job.name,
      runId,
      ...defined({ sessionId }),
      text: () => Promise.resolve(error),
    });
  }

  /** Tells of a text that was given up; durable when it resolves. */
  deliveryFailed({ id, target, source, endedAt, tries, error }: Delivery): Promise<void> {
    return this.publisher.publish({
      type: "delivery.failed",
      // Sent again, it may fail again.
      id: eventId("delivery.failed", id, tries?.at(-1)?.at ?? 0),
      at: endedAt ?? this.#clock.now(),
      deliveryId: id,
      target: target.kind,
      source: `${source.kind}:${source.id}`,
      text: () => Promise.resolve(error),
    });
  }

  /** Tells of a newer version of the program, of each once; durable when it resolves. */
  updateAvailable(installed: string, version: string): Promise<void> {
    return this.publisher.publish({
      type: "update.available",
      id: eventId("update.available", version),
      at: this.#clock.now(),
      installed,
      version,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.follower[Symbol.asyncDispose]();
    await this.outbox[Symbol.asyncDispose]();
  }
}
