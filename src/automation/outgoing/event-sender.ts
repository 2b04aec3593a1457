import type { Clock } from "../../core/index.ts";
import { standardHeaders } from "../../shared/crypto/standard-webhook.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Delivery, DeliveryAnswer, Sender } from "../delivery/index.ts";
import type { AddressBook } from "./address-book.ts";
import type { AddressHealth } from "./address-health.ts";
import type { Address } from "./address.ts";

/** A POST to an address that the owner named. It checks where the address leads, and follows no redirect. */
export type PostEvent = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<DeliveryAnswer & { readonly retryAfter?: string | undefined }>;

/** The parts of a sender of events. */
export interface EventSenderParts {
  readonly addresses: Pick<AddressBook, "find">;
  readonly health: AddressHealth;
  readonly post: PostEvent;
  readonly clock: Pick<Clock, "now">;
}

const MINUTE_MS = 60_000;
/** One try, then seven more within a day. */
const RETRY_MS: readonly number[] = [
  5000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  90 * MINUTE_MS,
  180 * MINUTE_MS,
  360 * MINUTE_MS,
  775 * MINUTE_MS,
];
const LONGEST_WAIT_S = 3600;
/** Characters of an answer that are kept. */
const KEPT_ANSWER = 1000;
const GONE = 410;

/** Makes the sender of events: each is signed for its address, with the time of the try. */
export function eventSender({ addresses, health, post, clock }: EventSenderParts): Sender {
  return {
    retryMs: RETRY_MS,
    async send(delivery, signal, heard) {
      const isTest = delivery.subject === "webhook.test";
      const address = usable(addresses.find(delivery.target.chatId ?? ""), isTest);
      try {
        const answer = await post({ ...signed(delivery, address, clock.now()), signal });
        heard?.({ status: answer.status, text: answer.text.slice(0, KEPT_ANSWER).toWellFormed() });
        if (answer.status === GONE && !isTest) await health.gone(address);
        judge(answer);
      } catch (thrown) {
        const error = toHostError(thrown);
        if (!isTest && !signal.aborted) await health.failed(address, error.message);
        throw error;
      }
      await health.worked(address.id);
    },
  };
}

/** @throws HostError `not_found`, `conflict`: no later try helps */
function usable(address: Address | undefined, isTest: boolean): Address {
  if (address === undefined)
    throw new HostError("not_found", "The address was removed before this event was sent.");
  if (address.enabled || isTest) return address;
  throw new HostError("conflict", "The address is off. Switch it on and send this event again.");
}

function signed({ text: body, extra = {} }: Delivery, { url, secret }: Address, now: number) {
  const { event: id = "" } = extra;
  return {
    url,
    headers: { "content-type": "application/json", ...standardHeaders(body, { secret, id, now }) },
    body,
  };
}

/** @throws HostError `delivery_failed` for any answer but a 2xx */
function judge({ status, retryAfter }: Awaited<ReturnType<PostEvent>>): void {
  if (status >= 200 && status < 300) return;
  const seconds = Number(retryAfter ?? 0);
  const details = seconds > 0 && seconds <= LONGEST_WAIT_S ? { retryAfterMs: 1000 * seconds } : {};
  const isRedirect = status >= 300 && status < 400;
  const why = isRedirect ? `${status}, a redirect, which is not followed` : String(status);
  throw new HostError("delivery_failed", `The address answered ${why}.`, { details });
}
