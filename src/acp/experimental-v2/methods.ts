import type {
  AgentRequestHandlersByMethod,
  ResumeSessionRequest,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { invalidParam } from "../connection/request-error.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import type { AcpConnection } from "../session/connection.ts";
import { loginMethods, reopenMethod, sharedMethods } from "../session/methods.ts";
import { activityOf } from "../session/unlogged-updates.ts";
import { initializeMethod } from "./initialize.ts";
import type { V2Types } from "./protocol.ts";
import { stateOf } from "./state.ts";

/** The methods that a client may call; those that set providers or cancel one call are not offered. */
type V2Methods = Omit<
  AgentRequestHandlersByMethod,
  `providers/${string}` | "tool_call/cancel" | "terminal/cancel"
>;

/** The handlers of version 2, by method. */
export function v2Methods(connection: AcpConnection<V2Types>): V2Methods {
  const { login, logout } = loginMethods(connection);
  return {
    ...sharedMethods(connection),
    initialize: initializeMethod(connection),
    "auth/login": login,
    "auth/logout": logout,
    "session/resume": reopenMethod(connection, beforeResumed),
    "session/status": connection.handler(async ({ params: { sessionId } }, sessions) => {
      if (sessions.has(sessionId)) {
        const { state } = sessions.get(sessionId).session;
        return { status: "open", state: stateOf({ state: activityOf(state) }) };
      }
      await sessions.host.session(sessionId);
      return { status: "saved" };
    }),
  };
}

function beforeResumed(params: ResumeSessionRequest) {
  const replays = wantsReplay(params);
  return async (attached: AttachedSession): Promise<void> => {
    if (replays) await attached.replay();
    // A client that resumes learns what runs before the answer, not by it.
    attached.unlogged.state();
  };
}

/** @throws HostError `invalid_params` for a replay from an unknown place */
function wantsReplay({ replayFrom }: ResumeSessionRequest): boolean {
  if (replayFrom === undefined || replayFrom === null) return false;
  if (replayFrom.type === "start") return true;
  throw invalidParam("replayFrom.type", `${replayFrom.type} is not known; use "start"`);
}
