import type { Clock, RandomHex } from "../../core/index.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Delivery, Outbox } from "../delivery/index.ts";
import type { AddressBook } from "./address-book.ts";
import { type Address, isWantedBy } from "./address.ts";
import { eventBody } from "./event-body.ts";
import type { OutgoingEvent } from "./outgoing-event.ts";

/** The kind of target under which events stand in their outbox; the chat of the target is the address. */
export const EVENT_TARGET = "address";

/** The parts of a publisher. */
export interface EventPublisherParts {
  readonly addresses: Pick<AddressBook, "list">;
  /** That of events alone. */
  readonly outbox: Pick<Outbox, "put">;
  readonly clock: Pick<Clock, "now">;
  readonly hex: RandomHex;
  readonly report: (error: HostError) => void;
}

/** Puts events into the outbox, once for each address that asks for them. */
export class EventPublisher {
  readonly #parts: EventPublisherParts;

  constructor(parts: EventPublisherParts) {
    this.#parts = parts;
  }

  /** Durable when it resolves; an event that is published again is the same one. */
  async publish(event: OutgoingEvent): Promise<void> {
    const wanting = this.#parts.addresses.list().filter((address) => isWantedBy(address, event));
    const text = wanting.some((address) => address.include_text) ? await this.#textOf(event) : undefined;
    for (const address of wanting)
      await this.#put(address, event, eventBody(event, address.include_text ? text : undefined));
  }

  /** Sends a test event to one address, whether or not it is on. */
  async test(address: Address): Promise<Delivery> {
    const { clock, hex } = this.#parts;
    const event: OutgoingEvent = { type: "webhook.test", id: `evt_${hex(12)}`, at: clock.now() };
    return await this.#put(address, event, eventBody(event));
  }

  async #textOf({ text }: OutgoingEvent): Promise<string | undefined> {
    try {
      return await text?.();
    } catch (thrown) {
      // The event counts; what was said can be read where it was said.
      this.#parts.report(toHostError(thrown));
      return undefined;
    }
  }

  #put({ id }: Address, event: OutgoingEvent, body: string): Promise<Delivery> {
    return this.#parts.outbox.put({
      id: `${event.id}.${id}`,
      target: { kind: EVENT_TARGET, chatId: id },
      text: body,
      subject: event.type,
      extra: { event: event.id },
      source: sourceOf(id),
    });
  }
}

/** The source of all events that are sent to an address. */
export const sourceOf = (id: string): Delivery["source"] => ({ kind: EVENT_TARGET, id });
