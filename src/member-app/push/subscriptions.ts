import { RecordSpace } from "../../automation/work/record-space.ts";
import type { Clock, Records } from "../../core/index.ts";
import { DEVICE_AGE } from "../sign-in/devices.ts";

/** The address under which a device hears of answers while its app is closed, with the keys that only it can read by. */
export interface PushSubscription {
  /** The id of the device that it ends with. */
  readonly device: string;
  readonly user: string;
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  /** The origin under which the device knows this server; push services are told it. */
  readonly origin: string;
}

interface StoredSubscription extends PushSubscription {
  readonly expiresAt: number;
}

const MOST = 200;

/** The push subscriptions of members: one a device. */
export class PushSubscriptions {
  readonly #space: RecordSpace<StoredSubscription>;
  readonly #clock: Clock;

  constructor(records: Records, clock: Clock) {
    this.#clock = clock;
    this.#space = new RecordSpace<StoredSubscription>(records, {
      space: "app.push",
      name: "Push subscription",
      encode: (value) => ({
        space: "app.push",
        key: value.device,
        parent: value.user,
        value: JSON.stringify(value),
        expiresAt: value.expiresAt,
      }),
    });
  }

  /** Notes the subscription of a device, in the place of the one that it had. */
  async put(subscription: PushSubscription): Promise<void> {
    const stored = { ...subscription, expiresAt: this.#clock.now() + DEVICE_AGE * 1000 };
    if (!(await this.#space.add(stored))) await this.#space.change(stored.device, () => stored);
  }

  /** Whether anybody is to be told of anything. */
  async isAny(): Promise<boolean> {
    return (await this.#space.list({ limit: 1 })).length > 0;
  }

  get(device: string): Promise<PushSubscription | undefined> {
    return this.#space.get(device);
  }

  of(user: string): Promise<readonly PushSubscription[]> {
    return this.#space.list({ parent: user, limit: MOST });
  }

  async remove(device: string): Promise<void> {
    await this.#space.remove(device);
  }
}
