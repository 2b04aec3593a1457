import {
  agent,
  agentProtocolRouter,
  type AgentRequestMethod,
  methods,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { AcpConnection, type ConnectedAgent, type ConnectionParts } from "../session/connection.ts";
import { cancelMethod } from "../session/methods.ts";
import { STEERING, steeringMethod, SteeringWire } from "../session/steering.ts";
import { v2Methods } from "./methods.ts";
import { V2 } from "./protocol.ts";

/** The agent's side of one connection in the draft of protocol version 2. */
export function v2Agent(parts: ConnectionParts): ConnectedAgent {
  const connection = new AcpConnection(parts, V2);
  const app = agent({ name: "agent-host" })
    .onRequest(STEERING, SteeringWire, steeringMethod(connection))
    .onNotification(methods.agent.session.cancel, cancelMethod(connection));
  // The table's type has a handler of the right type for each method.
  for (const [method, handler] of Object.entries(v2Methods(connection)))
    app.onRequest(method as AgentRequestMethod, handler as never);
  return {
    connect: (stream) => agentProtocolRouter().withV2(app).connect(stream),
    leave: () => connection.leave(),
  };
}
