import { type Session, type SessionStatus, statusOf } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { GatewayContext } from "../gateway/gateway-context.ts";
import type { LiveStatus, SessionInfo } from "../protocol/session-info.ts";
import { seconds } from "./time.ts";

/** Finds the present status of a session; a turn of a dead owner does not count as running. */
export async function liveStatus({ host }: GatewayContext, session: Session): Promise<SessionStatus> {
  const { state, driving } = session;
  if (state.turn === undefined) return statusOf(state, undefined);
  const { hostId } = host.services.store;
  // Only for a turn that runs elsewhere there is somebody to look for.
  const owner = driving ? { hostId, pid: 0, alive: true } : (await host.record(session.id))?.owner;
  return statusOf(state, owner);
}

type WaitingCause = Extract<SessionStatus, { status: "waiting" }>["cause"];

/**
 * A status in the gateway's words. A retry is work that goes on by itself; `waiting` says until when. A session without
 * a budget takes prompts like an idle one; `waiting` says why they fail.
 */
export function encodeStatus(status: SessionStatus): Pick<SessionInfo, "status" | "waiting"> {
  switch (status.status) {
    case "idle":
    case "working":
      return { status: status.status };
    case "waiting": {
      const { cause, since, until, requestId } = status;
      return {
        status: LIVE_STATUS[cause] ?? "waiting",
        waiting: {
          cause,
          since: seconds(since),
          ...defined({ until: until === undefined ? until : seconds(until), request_id: requestId }),
        },
      };
    }
  }
}

const LIVE_STATUS: { readonly [C in WaitingCause]?: LiveStatus } = { retry: "working", budget: "idle" };
