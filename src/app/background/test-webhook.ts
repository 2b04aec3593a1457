import { randomUUID } from "node:crypto";
import { type WebhookSettings, signedHeaders } from "../../automation/webhook/index.ts";
import { guardedFetcher } from "../../providers/fetch/index.ts";
import { systemClock } from "../../shared/async/clock.ts";
import { parseForeignJson } from "../../shared/json/json.ts";
import { routeUrl } from "./webhook-routes.ts";

/** A route that is tried, and with what. */
export interface WebhookTest {
  readonly name: string;
  /** Its own; that of the connector by default. */
  readonly secret: unknown;
  /** JSON; a test message by default. */
  readonly payload: string | undefined;
}

const TEST_MS = 10_000;
const LARGEST_ANSWER = 1_000_000;

/** Calls a route of the running gateway with a signed event. @throws HostError `invalid_params`, `fetch_failed` */
export async function testWebhook(
  webhook: WebhookSettings,
  { name, secret: own, payload }: WebhookTest,
): Promise<{ readonly status: number; readonly text: string }> {
  const secret = typeof own === "string" ? own : (webhook.secret ?? "");
  const body =
    payload ?? JSON.stringify({ test: true, event_type: "test", message: "A test of this webhook." });
  parseForeignJson(body);
  const fetcher = guardedFetcher({
    clock: systemClock,
    allow: ["localhost", "127.0.0.0/8", "::1", webhook.host],
  });
  const { status, bytes } = await fetcher.fetch({
    url: routeUrl(webhook, name),
    method: "POST",
    headers: {
      ...signedHeaders(body, { secret, deliveryId: randomUUID(), now: systemClock.now() }),
      "x-hosta-event": "test",
    },
    body,
    maxBytes: LARGEST_ANSWER,
    timeoutMs: TEST_MS,
  });
  return { status, text: Buffer.from(bytes).toString("utf8") };
}
