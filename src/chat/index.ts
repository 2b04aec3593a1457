export { dismissPerson, type LinkedPeople, type PairedPerson, pairedPeople } from "./access/allow-list.ts";
export { Pairing, type PairingCode } from "./access/pairing.ts";
export type { ChannelState } from "./connection/connection.ts";
export { ChatConnector } from "./connection/chat-connector.ts";
export type { ConnectorParts } from "./connection/open-connector.ts";
export { connectorStatus, type ConnectorStatus } from "./connection/connector-status.ts";
export type { EntryStatus, InboxEntry } from "./inbox/entry.ts";
export { Inbox } from "./inbox/inbox.ts";
export { CHAT_PLATFORMS } from "./platforms.ts";
export type { WebhookAnswer, WebhookRequest } from "./port/channel.ts";
export type { Account, ChannelPorts, ChatPlatform, PlatformSecret } from "./port/platform.ts";
export { placeKey, targetOf } from "./port/place.ts";
export type { ByteStream, OpenStream } from "./port/byte-stream.ts";
export type {
  ChannelAnswer,
  ChannelFetch,
  ChannelRequest,
  ChatSocket,
  OpenSocket,
} from "./port/transport.ts";
export type { ChatSettings, LateText } from "./turns/chat-parts.ts";
export { KnownNames } from "./turns/known-names.ts";
