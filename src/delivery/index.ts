export type { Delivery, Sender, Senders } from "./delivery.ts";
export { Outbox, type OutboxOptions } from "./outbox.ts";
export { readTargets } from "./target.ts";
