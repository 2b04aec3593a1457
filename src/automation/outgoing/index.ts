export { type Address, AddressEntry } from "./address.ts";
export { AddressBook } from "./address-book.ts";
export type { WatchedConnector } from "./connector-watch.ts";
export { EventFollower, type EventSource } from "./event-follower.ts";
export { sourceOf } from "./event-publisher.ts";
export type { PostEvent } from "./event-sender.ts";
export {
  AddressDraftBody,
  AddressPatchBody,
  AddressRecord,
  encodeAddress,
  encodeSentDetail,
  encodeSentEvent,
  SentEventDetail,
  SentEventRecord,
} from "./outgoing-json.ts";
export { eventId, OUTGOING_EVENTS } from "./outgoing-event.ts";
export { OutgoingEvents } from "./outgoing-events.ts";
export { sessionEvents } from "./session-events.ts";
