import type { GatewayClient, OpenRequest as HostRequest } from "../rpc/client/index.ts";

export type {
  Attached,
  ClientEvent,
  EventName,
  GatewayEvent,
  Input,
  MethodName,
  Payload,
  Result,
  SessionInfo,
  Skin,
  TranscriptMessage,
  UsageWire,
} from "../rpc/client/index.ts";

/** A question that the client itself asks: whether the files of a session's folder may speak to the agent. */
interface TrustRequest {
  readonly id: string;
  readonly method: "trust";
  readonly params: {
    readonly session_id: string;
    readonly request_id: string;
    readonly timeout_s: number;
    readonly folder: string;
    readonly files: readonly string[];
  };
}

/** A question as it is shown: the host's, or the client's own. */
export type AskedRequest = HostRequest | TrustRequest;

/** The part of a gateway client that the terminal client uses. It reconnects by itself. */
export type Gateway = Pick<GatewayClient, "request" | "events" | "ready">;

/** The state of the connection to the gateway. */
export type ConnectionState =
  | { readonly status: "connecting" }
  | { readonly status: "ready" }
  | { readonly status: "reconnecting"; readonly attempt: number; readonly reason: string }
  | { readonly status: "closed"; readonly reason: string };
