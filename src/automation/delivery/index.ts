export { type Delivery, type DeliveryDraft, isSilent, type Sender, type Senders } from "./delivery.ts";
export { Outbox, type OutboxOptions } from "./outbox.ts";
export { readTargets } from "./target.ts";
