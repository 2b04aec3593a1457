import {
  agent,
  type AgentApp,
  agentProtocolRouter,
  methods,
} from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { Connection, type ConnectionParts, type VersionedAgent } from "../session/connection.ts";
import { abilitiesOf } from "./abilities.ts";
import type { V2Connection } from "./connection.ts";
import { AUTH_METHODS, initializeAnswer } from "./initialize.ts";
import { V2Peer } from "./peer.ts";
import { addPromptHandlers } from "./prompt-handlers.ts";
import { addSessionHandlers } from "./session-handlers.ts";

const NOBODY = abilitiesOf({ info: { name: "", version: "" } });

/** The agent's side of one connection in the draft of protocol version 2: each method with its handler. */
export function v2Agent(parts: ConnectionParts): VersionedAgent {
  // What the client said of itself last counts for the sessions that it opens from then on.
  let abilities = NOBODY;
  const connection: V2Connection = new Connection(parts, {
    authMethods: AUTH_METHODS,
    peer: (client, ports) => new V2Peer(abilities, { client, ...ports }),
  });
  const app = agent({ name: "agent-host" }).onRequest(methods.agent.initialize, ({ params }) => {
    abilities = abilitiesOf(params);
    return initializeAnswer(parts.process, abilities);
  });
  addLoginHandlers(app, connection);
  addSessionHandlers(app, connection);
  addPromptHandlers(app, connection);
  return {
    connect: (stream) => agentProtocolRouter().withV2(app).connect(stream),
    leave: () => connection.leave(),
  };
}

function addLoginHandlers(app: AgentApp, connection: V2Connection): void {
  const { login } = connection;
  app
    .onRequest(
      methods.agent.auth.login,
      connection.handler(({ params }, { host }) => {
        login.login(params.methodId, host.services.models());
        return {};
      }),
    )
    .onRequest(
      methods.agent.auth.logout,
      connection.handler(() => {
        login.logout();
        return {};
      }),
    )
    .onRequest(
      methods.agent.auth.status,
      connection.handler((_context, { host }) => ({ state: login.state(host.services.models()) })),
    );
}
