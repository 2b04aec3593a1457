import type { Delivery, Sender } from "../../automation/delivery/index.ts";
import type { Clock, Store } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ReadMarks } from "../api/read-marks.ts";
import type { Devices } from "../sign-in/devices.ts";
import { NEWS_LIFE, type PushNews } from "./push-news.ts";
import { type PushKeys, pushRequest, type PushRequest } from "./push-request.ts";
import type { PushSubscriptions } from "./subscriptions.ts";

/** A POST to a push service. It checks where the address leads, and follows no redirect. */
export type PostPush = (request: PushRequest & { readonly signal: AbortSignal }) => Promise<{
  readonly status: number;
  readonly text: string;
  readonly retryAfter?: string | undefined;
}>;

/** The parts of a sender of pushes. */
export interface PushSenderParts {
  readonly subscriptions: PushSubscriptions;
  /** Whether a user has the app before them, as far as their connection tells. */
  readonly isOpen: (user: string) => Promise<boolean>;
  readonly devices: Pick<Devices, "has">;
  readonly read: ReadMarks;
  readonly store: Pick<Store, "record">;
  readonly clock: Pick<Clock, "now">;
  readonly keys: () => Promise<PushKeys>;
  readonly post: PostPush;
}

const RETRY_MS: readonly number[] = [5000, 60_000, 15 * 60_000];
const LONGEST_WAIT_S = 3600;
const GONE: ReadonlySet<number> = new Set([404, 410]);

/** Makes the sender of pushes. What its member has seen meanwhile, or what is no news any more, is left out. */
export function pushSender(parts: PushSenderParts): Sender {
  const { subscriptions, isOpen, devices, read, store, clock, keys, post } = parts;
  return {
    retryMs: RETRY_MS,
    async send({ target: { chatId: device = "" }, text, attempts }: Delivery, signal) {
      // Only this room puts texts into this outbox.
      const news = JSON.parse(text) as PushNews;
      const { user, conversation, seq, at } = news;
      const subscription = await subscriptions.get(device);
      if (subscription?.user !== user) return;
      // It may have been signed out by another process.
      if (!(await devices.has(device))) return await subscriptions.remove(device);
      const left = at + NEWS_LIFE - clock.now();
      if (left <= 0 || (await read.of(user, conversation)) >= seq) return;
      // A phone that lost its line looks open for a while: what it has not seen by then is told after all.
      if (attempts <= RETRY_MS.length && (await isOpen(user)))
        throw new HostError("delivery_failed", "The app is open and may show it yet.");
      const record = await store.record(conversation, { user });
      if (record === undefined) return;
      const { title } = record.state;
      const draft = { news, title, ttl: Math.ceil(left / 1000) };
      const answer = await post({ ...(await pushRequest(subscription, draft, await keys())), signal });
      if (GONE.has(answer.status)) return await subscriptions.remove(device);
      judge(answer);
    },
  };
}

/** @throws HostError `delivery_failed` for any answer but a 2xx */
function judge({ status, retryAfter }: Awaited<ReturnType<PostPush>>): void {
  if (status >= 200 && status < 300) return;
  const seconds = Number(retryAfter ?? 0);
  const details = seconds > 0 && seconds <= LONGEST_WAIT_S ? { retryAfterMs: 1000 * seconds } : {};
  throw new HostError("delivery_failed", `The push service answered ${status}.`, { details });
}
