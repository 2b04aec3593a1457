import type { Models } from "../../../src/core/index.ts";
import type { HostError } from "../../../src/shared/errors/host-error.ts";
import { systemClock } from "../../../src/shared/async/clock.ts";
import { postEvent } from "../../../src/app/background/post-event.ts";
import {
  type Address,
  AddressBook,
  OutgoingEvents,
  sessionEvents,
  type WatchedConnector,
} from "../../../src/automation/outgoing/index.ts";
import { guardedFetcher } from "../../../src/providers/fetch/index.ts";
import { Machine, type TestProcess } from "../../kit/machine.ts";

/** A process that sends events; it may die. */
export interface OutgoingProcess extends TestProcess {
  readonly events: OutgoingEvents;
  readonly reported: readonly HostError[];
  /** Looks once for what happened and what is due, and waits until it is done. */
  readonly look: () => Promise<void>;
}

/** Processes of one home that send events. */
export class OutgoingStage {
  readonly machine = new Machine();
  readonly switchedOff: string[] = [];
  connectors: readonly WatchedConnector[] = [];
  #addresses: readonly Address[] = [];

  async start(models: Models, { allow = ["127.0.0.1"] } = {}): Promise<OutgoingProcess> {
    const process = await this.machine.start(models, { keepLeaseMs: 0 });
    const { host, store } = process;
    const { clock, hex } = host.services;
    const reported: HostError[] = [];
    const report = (error: HostError): void => void reported.push(error);
    const addresses = new AddressBook({
      read: () => this.#addresses,
      write: (change) => Promise.resolve(void (this.#addresses = change(this.#addresses))),
      checkUrl: () => Promise.resolve(),
      clock,
      hex,
    });
    const events = new OutgoingEvents({
      records: store.records,
      clock,
      hostId: store.hostId,
      hex,
      report,
      addresses,
      post: postEvent(guardedFetcher({ clock: systemClock, allow })),
      connectors: () => Promise.resolve(this.connectors),
      sources: [
        sessionEvents({
          feed: store.feed.bind(store),
          record: store.record.bind(store),
          answer: () => Promise.resolve("the answer"),
          report,
        }),
      ],
      switchedOff: (_address, reason) => Promise.resolve(void this.switchedOff.push(reason)),
    });
    const look = async (): Promise<void> => {
      await events.follower.pollOnce();
      await events.outbox.pollOnce();
      await events.outbox.idle();
    };
    return { ...process, events, reported, look };
  }
}

export const ADDRESS = { events: [], includeText: false, description: "" } as const;
