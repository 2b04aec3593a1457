import { createHmac } from "node:crypto";
import type { Clock } from "../../shared/async/clock.ts";
import { standardHeaders } from "../../shared/crypto/standard-webhook.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { Sender } from "../delivery/index.ts";

/** The kind of target under which callbacks stand in the outbox. */
export const CALLBACK_TARGET = "callback";

/** A POST to an address that a stranger named. It must check where the address leads, after names are resolved. */
export type PostCallback = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<{ readonly status: number; readonly retryAfter?: string | undefined }>;

/** One try, then three more after 1, 2 and 4 seconds. */
const RETRY_MS = [1000, 2000, 4000] as const;
const LONGEST_WAIT_S = 60;

/** Sends the answers of runs to the addresses that their callers gave, signed. */
export function callbackSender(options: {
  readonly secret: string;
  readonly post: PostCallback;
  readonly clock: Clock;
}): Sender {
  const { secret, post, clock } = options;
  return {
    retryMs: RETRY_MS,
    async send(delivery, signal) {
      const { url = "", deliveryId = "" } = delivery.extra ?? {};
      const headers = signedHeaders(delivery.text, { secret, deliveryId, now: clock.now() });
      const { status, retryAfter } = await post({ url, headers, body: delivery.text, signal });
      if (status >= 200 && status < 300) return;
      // A 4xx would come again; so would a redirect, which is not followed.
      if (status < 500) throw new HostError("invalid_params", `The callback was answered with ${status}.`);
      const seconds = Number(retryAfter ?? 0);
      const wait = seconds > 0 && seconds <= LONGEST_WAIT_S ? { retryAfterMs: 1000 * seconds } : {};
      throw new HostError("delivery_failed", `The callback was answered with ${status}.`, { details: wait });
    },
  };
}

/** Our signature, and that of Standard Webhooks, which covers id and time. */
export function signedHeaders(
  text: string,
  { secret, deliveryId, now }: { readonly secret: string; readonly deliveryId: string; readonly now: number },
): Readonly<Record<string, string>> {
  return {
    "content-type": "application/json",
    "x-webhook-signature": createHmac("sha256", secret).update(text).digest("hex"),
    "x-agent-delivery": deliveryId,
    ...standardHeaders(text, { secret, id: deliveryId, now }),
  };
}
