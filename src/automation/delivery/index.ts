export type { Delivery, DeliveryDraft, Sender, Senders } from "./delivery.ts";
export { Outbox, type OutboxOptions } from "./outbox.ts";
export { isSilent } from "./silence.ts";
export { readTargets } from "./target.ts";
