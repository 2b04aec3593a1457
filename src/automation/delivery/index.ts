export {
  type Delivery,
  type DeliveryAnswer,
  type DeliveryDraft,
  type DeliveryStatus,
  type DeliveryTry,
  isSilent,
  type Sender,
  type Senders,
} from "./delivery.ts";
export { Outbox, type OutboxOptions } from "./outbox.ts";
export { EXTRA_KEYS, ONE_PLACE, readTargets, type TargetKind, type TargetSources } from "./target.ts";
