import type { GatewayEvent } from "../protocol/events.ts";
import type { Attached } from "../protocol/sessions.ts";

/** An event of the client itself about its connection; none comes over the wire. */
export type LocalEvent =
  | {
      readonly type: "gateway.reconnecting";
      readonly payload: { readonly attempt: number; readonly delay_ms: number; readonly reason: string };
    }
  /**
   * The connection is back. `attached` has the followed sessions: those with `continued` go on where they stopped, the
   * others have to be shown anew. `lost` are there no more.
   */
  | {
      readonly type: "gateway.reconnected";
      readonly payload: { readonly attached: readonly Reattached[]; readonly lost: readonly string[] };
    }
  | { readonly type: "gateway.closed"; readonly payload: { readonly reason: string } }
  | { readonly type: "gateway.stderr"; readonly payload: { readonly line: string } }
  | { readonly type: "gateway.protocol_error"; readonly payload: { readonly preview: string } };

/** A followed session after a reconnection; `continued`: nothing was missed. */
export type Reattached = Attached & { readonly continued: boolean };

type Placed<E> = E & Pick<GatewayEvent, "session_id" | "seq" | "at">;

/** An event that a client tells: one of the gateway, or its own about the connection. */
export type ClientEvent = GatewayEvent | Placed<LocalEvent>;
