import {
  agent,
  type AgentRequestHandlersByMethod,
  type AgentRequestMethod,
  methods,
} from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";
import { AcpConnection, type ConnectedAgent, type ConnectionParts } from "../session/connection.ts";
import { rehearse } from "../session/rehearsal.ts";
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
import { initializeMethod } from "./initialize.ts";
import { V1, type V1Types } from "./protocol.ts";

/** The params of `session/set_model`, from before models were options; clients still send it. */
const SetModelWire = z.object({ sessionId: z.string(), modelId: z.string() });

/** The agent's side of one connection in protocol version 1. */
export function v1Agent(parts: ConnectionParts): ConnectedAgent {
  const connection = new AcpConnection(parts, V1, () => rehearse(v1Agent, parts));
  const app = agent({ name: "agent-host" })
    .onRequest(STEERING, SteeringWire, steeringMethod(connection))
    .onRequest(CHECKPOINTS, CheckpointsWire, checkpointsMethod(connection))
    .onRequest(REWIND, RewindWire, rewindMethod(connection))
    .onRequest(
      "session/set_model",
      SetModelWire,
      connection.handler(async ({ params }, sessions) => {
        await sessions.choose(params.sessionId, { id: "model", value: params.modelId });
        return {};
      }),
    )
    .onNotification(methods.agent.session.cancel, cancelMethod(connection));
  // The table's type has a handler of the right type for each method.
  for (const [method, handler] of Object.entries(v1Methods(connection)))
    app.onRequest(method as AgentRequestMethod, handler as never);
  return { connect: (stream) => app.connect(stream), leave: () => connection.leave() };
}

/** The methods that a client may call; those that set providers are not offered. */
type V1Methods = Omit<AgentRequestHandlersByMethod, `providers/${string}`>;

function v1Methods(connection: AcpConnection<V1Types>): V1Methods {
  const { login, logout } = loginMethods(connection);
  return {
    ...sharedMethods(connection),
    initialize: initializeMethod(connection),
    authenticate: login,
    logout,
    "session/load": reopenMethod(connection, () => (attached) => attached.replay()),
    "session/resume": reopenMethod(connection, () => () => undefined),
    "session/status": connection.handler(async ({ params }, sessions) => {
      if (sessions.has(params.sessionId)) return { status: "open" };
      await sessions.host.session(params.sessionId);
      return { status: "saved" };
    }),
    "session/set_mode": connection.handler(async ({ params }, sessions) => {
      await sessions.choose(params.sessionId, { id: "mode", value: params.modeId });
    }),
  };
}
