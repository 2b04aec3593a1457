import { z } from "zod";
import { OUTGOING_TYPES, type OutgoingEvent } from "./outgoing-event.ts";

/** An address of other software, as the home's file has it. Times are Unix milliseconds. */
export const AddressEntry = z.object({
  id: z.string(),
  url: z.string(),
  secret: z.string(),
  /** All of them when empty. */
  events: z.array(z.enum(OUTGOING_TYPES)),
  include_text: z.boolean(),
  description: z.string(),
  enabled: z.boolean(),
  /** Why it is off, when nobody switched it off. */
  off_reason: z.string().exactOptional(),
  created_at: z.number(),
  /** Nothing from before is sent to it: when it was made, or last switched on. */
  since: z.number(),
});

/** An address that events are sent to. */
export type Address = z.output<typeof AddressEntry>;

/** Whether an address is to be told of an event. */
export const isWantedBy = ({ enabled, events, since }: Address, { type, at }: OutgoingEvent): boolean =>
  enabled && at >= since && type !== "webhook.test" && (events.length === 0 || events.includes(type));
