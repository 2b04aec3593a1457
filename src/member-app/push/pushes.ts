import { Outbox } from "../../automation/delivery/index.ts";
import { EventFollower } from "../../automation/outgoing/index.ts";
import { type Clock, HostError, type Records, type Store } from "../../core/index.ts";
import type { ReadMarks } from "../api/read-marks.ts";
import type { Devices } from "../sign-in/devices.ts";
import { OpenApps } from "./open-apps.ts";
import { type PushNews, pushNews } from "./push-news.ts";
import type { PushKeys } from "./push-request.ts";
import { type PostPush, pushSender } from "./push-sender.ts";
import { type PushSubscription, PushSubscriptions } from "./subscriptions.ts";

/** The ways of pushes out of the home. */
export interface PushPorts {
  /** Made once for a home. */
  readonly keys: () => Promise<PushKeys>;
  readonly post: PostPush;
  /** Checks where an address leads. @throws HostError `fetch_refused` for where nothing may be sent */
  readonly checkUrl: (url: string) => Promise<void>;
}

/** The parts of pushes. */
export interface PushParts extends PushPorts {
  readonly records: Records;
  readonly store: Pick<Store, "hostId" | "feed" | "record">;
  readonly clock: Clock;
  readonly devices: Devices;
  readonly read: ReadMarks;
  readonly report: (error: HostError) => void;
}

const TARGET = "push";

/**
 * The messages to devices whose app is closed. What happened is read from the home's feed, from a cursor, and goes through
 * an outbox of its own under an id that is always the same: a crash in between loses nothing, and tells nothing twice.
 */
export class Pushes implements AsyncDisposable {
  readonly open: OpenApps;
  readonly follower: EventFollower<PushNews>;
  readonly outbox: Outbox;
  readonly #subscriptions: PushSubscriptions;
  readonly #ports: PushPorts;
  readonly #forget: () => void;

  constructor(parts: PushParts) {
    const { records, clock, report, store, devices, read, keys, post } = parts;
    this.#ports = parts;
    this.#subscriptions = new PushSubscriptions(records, clock);
    const subscriptions = this.#subscriptions;
    const isWanted = async (user: string): Promise<boolean> => (await subscriptions.of(user)).length > 0;
    this.open = new OpenApps({ records, clock, hostId: store.hostId, isWanted });
    const sender = pushSender({
      subscriptions,
      isOpen: (user) => this.open.has(user),
      devices,
      read,
      store,
      clock,
      keys,
      post,
    });
    this.outbox = new Outbox({
      records,
      clock,
      report,
      space: "app.push-delivery",
      async settled({ status, error = "" }) {
        if (status !== "failed") return;
        report(new HostError("delivery_failed", `A device was not told of an answer in the app: ${error}`));
      },
      senders: (kind) => (kind === TARGET ? sender : undefined),
    });
    this.follower = new EventFollower<PushNews>({
      records,
      clock,
      hostId: store.hostId,
      report,
      name: "app.push",
      sources: [pushNews({ store, report, now: () => clock.now() })],
      isWanted: () => subscriptions.isAny(),
      publish: (news) => this.#publish(news),
    });
    this.#forget = devices.onEnd((id) => {
      subscriptions.remove(id).catch(() => undefined);
    });
  }

  start(): void {
    this.follower.start();
    this.outbox.start();
  }

  /** The key by which browsers subscribe. */
  async publicKey(): Promise<string> {
    return (await this.#ports.keys()).publicKey;
  }

  /** @throws HostError `fetch_refused`, `invalid_params` for an address to which nothing is sent */
  async subscribe(subscription: PushSubscription): Promise<void> {
    await this.#ports.checkUrl(subscription.endpoint);
    await this.#subscriptions.put(subscription);
    await this.open.note(subscription.user);
  }

  unsubscribe(device: string): Promise<void> {
    return this.#subscriptions.remove(device);
  }

  async isSubscribed(device: string): Promise<boolean> {
    return (await this.#subscriptions.get(device)) !== undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#forget();
    await this.follower[Symbol.asyncDispose]();
    await this.outbox[Symbol.asyncDispose]();
    await this.open[Symbol.asyncDispose]();
  }

  async #publish(news: PushNews): Promise<void> {
    const { id, user, conversation } = news;
    for (const { device } of await this.#subscriptions.of(user))
      await this.outbox.put({
        id: `${id}-${device}`,
        target: { kind: TARGET, chatId: device },
        text: JSON.stringify(news),
        source: { kind: "app", id: conversation },
      });
  }
}
