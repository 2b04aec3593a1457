export type { ClientEvent, LocalEvent, Reattached } from "./events.ts";
export type { ClientOptions, ClientState, Ready } from "./client-options.ts";
export { GatewayClient } from "./gateway-client.ts";
export { ABORTED, DISCONNECTED, GatewayError } from "./gateway-error.ts";
export { inProcess } from "./in-process.ts";
export {
  type Connect,
  type ClientTransport,
  type TransportEnd,
  type TransportListener,
  Refused,
} from "./transport.ts";
export type { QuestionHandlers } from "./server-requests.ts";
export { spawned, type SpawnedOptions } from "./spawned.ts";
export { streams } from "./streams.ts";
export { webSocket, type WebSocketOptions } from "./web-socket.ts";
export type { EventBody, EventName, GatewayEvent, Payload } from "../protocol/events.ts";
export type { Skin } from "../protocol/skin.ts";
export type { Input, MethodName, Params, Result } from "../protocol/methods.ts";
export type {
  ApprovalWire,
  OpenRequest,
  QuestionKind,
  QuestionParams,
  QuestionResult,
} from "../protocol/question.ts";
export type { LiveStatus, McpServerWire, SessionInfo } from "../protocol/session-info.ts";
export type { Attached } from "../protocol/sessions.ts";
export type { TranscriptMessage } from "../protocol/transcript-message.ts";
export type { CompletionItem, Dispatched } from "../protocol/commands.ts";
export type { UsageWire } from "../protocol/shapes.ts";
