import {
  agent,
  agentProtocolRouter,
  type AgentRequestHandlersByMethod,
  type AgentRequestMethod,
  methods,
  type ResumeSessionRequest,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { invalidParam } from "../connection/request-error.ts";
import type { AttachedSession } from "../session/attached-session.ts";
import { AcpConnection, type ConnectedAgent, type ConnectionParts } from "../session/connection.ts";
import { cancelMethod, loginMethods, reopenMethod, sharedMethods } from "../session/methods.ts";
import {
  CHECKPOINTS,
  checkpointsMethod,
  CheckpointsWire,
  REWIND,
  rewindMethod,
  RewindWire,
} from "../session/rewind.ts";
import { STEERING, steeringMethod, SteeringWire } from "../session/steering.ts";
import { activityOf } from "../session/unlogged-updates.ts";
import { initializeMethod } from "./initialize.ts";
import { V2, type V2Types } from "./protocol.ts";
import { stateOf } from "./state.ts";

/** The agent's side of one connection in the draft of protocol version 2. */
export function v2Agent(parts: ConnectionParts): ConnectedAgent {
  const connection = new AcpConnection(parts, V2);
  const app = agent({ name: "agent-host" })
    .onRequest(STEERING, SteeringWire, steeringMethod(connection))
    .onRequest(CHECKPOINTS, CheckpointsWire, checkpointsMethod(connection))
    .onRequest(REWIND, RewindWire, rewindMethod(connection))
    .onNotification(methods.agent.session.cancel, cancelMethod(connection));
  // The table's type has a handler of the right type for each method.
  for (const [method, handler] of Object.entries(v2Methods(connection)))
    app.onRequest(method as AgentRequestMethod, handler as never);
  return {
    connect: (stream) => agentProtocolRouter().withV2(app).connect(stream),
    leave: () => connection.leave(),
  };
}

/** The methods that a client may call; those that set providers or cancel one call are not offered. */
type V2Methods = Omit<
  AgentRequestHandlersByMethod,
  `providers/${string}` | "tool_call/cancel" | "terminal/cancel"
>;

function v2Methods(connection: AcpConnection<V2Types>): V2Methods {
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
