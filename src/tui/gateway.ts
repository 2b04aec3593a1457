import type { GatewayClient } from "../rpc/client/index.ts";

export type {
  Attached,
  ClientEvent,
  GatewayEvent,
  Input,
  MethodName,
  OpenRequest,
  Payload,
  Result,
  SessionInfo,
  Skin,
  TranscriptMessage,
  UsageWire,
} from "../rpc/client/index.ts";

/** The part of a gateway client that the terminal client uses. It reconnects by itself. */
export type Gateway = Pick<GatewayClient, "request" | "events" | "ready">;

/** The state of the connection to the gateway. */
export type ConnectionState =
  | { readonly status: "connecting" }
  | { readonly status: "ready" }
  | { readonly status: "reconnecting"; readonly attempt: number; readonly reason: string }
  | { readonly status: "closed"; readonly reason: string };
