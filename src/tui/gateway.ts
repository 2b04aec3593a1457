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

/** What this client uses of a gateway client: in this process or far away, it connects again by itself. */
export type Gateway = Pick<GatewayClient, "request" | "events" | "ready">;

/** How the connection is. */
export type ConnectionState =
  | { readonly status: "connecting" }
  | { readonly status: "ready" }
  | { readonly status: "reconnecting"; readonly attempt: number; readonly reason: string }
  | { readonly status: "closed"; readonly reason: string };
