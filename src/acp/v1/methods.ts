import type { AgentRequestHandlersByMethod } from "@agentclientprotocol/sdk/unstable";
import type { AcpConnection } from "../session/connection.ts";
import { loginMethods, reopenMethod, sharedMethods } from "../session/methods.ts";
import { initializeMethod } from "./initialize.ts";
import type { V1Types } from "./protocol.ts";

/** The methods that a client may call; those that set providers are not offered. */
type V1Methods = Omit<AgentRequestHandlersByMethod, `providers/${string}`>;

/** The handlers of version 1, by method. */
export function v1Methods(connection: AcpConnection<V1Types>): V1Methods {
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
