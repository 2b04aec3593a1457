import { z } from "zod";
import { defined } from "../../shared/json/defined.ts";
import type { Delivery } from "../delivery/index.ts";
import { type Address, AddressEntry } from "./address.ts";
import type { AddressFailure } from "./address-health.ts";

const text = z.string().trim();

/** The body that makes an address. */
export const AddressDraftBody = z
  .object({
    url: text.min(1).max(2000),
    /** All when empty. */
    events: z.array(text).default([]),
    include_text: z.boolean().default(false),
    description: text.max(200).default(""),
  })
  .meta({ title: "WebhookAddressDraft" });

/** The body that changes one. */
export const AddressPatchBody = z
  .object({
    url: text.min(1).max(2000).exactOptional(),
    events: z.array(text).exactOptional(),
    include_text: z.boolean().exactOptional(),
    description: text.max(200).exactOptional(),
  })
  .meta({ title: "WebhookAddressPatch" });

const time = z.iso.datetime();

/** An address as the API shows it, without its secret. */
export const AddressRecord = AddressEntry.omit({ secret: true, created_at: true, since: true })
  .extend({
    created_at: time,
    /** The first failed try since the last good one. */
    failing_since: time.exactOptional(),
    last_error: z.string().exactOptional(),
  })
  .meta({ title: "WebhookAddress" });
/** An address as the API shows it, without its secret. */
export type AddressRecord = z.output<typeof AddressRecord>;

/** An event on its way to one address, as lists show it. */
export const SentEventRecord = z
  .object({
    id: z.string(),
    /** That of the header `webhook-id`, the same for every try and address. */
    event_id: z.string(),
    type: z.string(),
    address_id: z.string(),
    status: z.enum(["pending", "delivered", "failed"]),
    attempts: z.int(),
    error: z.string().exactOptional(),
    created_at: time,
    ended_at: time.exactOptional(),
    next_at: time.exactOptional(),
  })
  .meta({ title: "SentWebhookEvent" });
/** An event on its way to one address, as lists show it. */
export type SentEventRecord = z.output<typeof SentEventRecord>;

/** An event on its way to one address, with what was sent and each try. */
export const SentEventDetail = SentEventRecord.extend({
  body: z.string(),
  tries: z.array(
    z.object({
      at: time,
      /** Absent while the try goes on, and where its process died before the end. */
      ms: z.int().exactOptional(),
      status: z.int().exactOptional(),
      answer: z.string().exactOptional(),
      error: z.string().exactOptional(),
    }),
  ),
}).meta({ title: "SentWebhookEventDetail" });
/** An event on its way to one address, with what was sent and each try. */
export type SentEventDetail = z.output<typeof SentEventDetail>;

const isoOf = (ms: number): string => new Date(ms).toISOString();
const isoIf = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : isoOf(ms));

export function encodeAddress(
  { secret: _secret, since: _since, created_at, ...address }: Address,
  failure?: AddressFailure,
): AddressRecord {
  const failing = { failing_since: isoIf(failure?.since), last_error: failure?.error };
  return { ...address, created_at: isoOf(created_at), ...defined(failing) };
}

export function encodeSentEvent(delivery: Delivery): SentEventRecord {
  const { id, extra, subject, target, status, attempts, error, createdAt, endedAt, nextAt } = delivery;
  return {
    id,
    event_id: extra?.["event"] ?? "",
    type: subject ?? "",
    address_id: target.chatId ?? "",
    status,
    attempts,
    created_at: isoOf(createdAt),
    ...defined({ error, ended_at: isoIf(endedAt), next_at: isoIf(nextAt) }),
  };
}

export const encodeSentDetail = (delivery: Delivery): SentEventDetail => ({
  ...encodeSentEvent(delivery),
  body: delivery.text,
  tries: (delivery.tries ?? []).map(({ at, ms, answer, error }) => ({
    at: isoOf(at),
    ...defined({ ms, status: answer?.status, answer: answer?.text, error }),
  })),
});
