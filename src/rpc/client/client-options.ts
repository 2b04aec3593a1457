import type { Clock } from "../../shared/async/clock.ts";
import type { Payload } from "../protocol/events.ts";
import type { QuestionHandlers } from "./server-requests.ts";
import type { Connect } from "./transport.ts";

/** The options of a client: its way to the gateway, and what it does by itself. */
export interface ClientOptions {
  /** The way to the gateway: `spawned`, `webSocket`, `streams` or `inProcess`. */
  readonly connect: Connect;
  /** Recognises this client on another connection: what it had queued is still its own. */
  readonly clientId?: string;
  /** Answers questions of the host. Without it they come as events, answered with the `*.respond` methods. */
  readonly questions?: QuestionHandlers;
  /** Connects again when the connection is lost, the default, and goes on with every followed session. */
  readonly reconnect?: boolean;
  readonly clock?: Clock;
}

/** The state of a client's connection. */
export type ClientState = "connecting" | "connected" | "reconnecting" | "closed";

/** The first event of the gateway. */
export type Ready = Payload<"gateway.ready">;
