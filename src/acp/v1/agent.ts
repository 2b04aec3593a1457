import { agent, type AgentApp, methods } from "@agentclientprotocol/sdk/unstable";
import { Connection, type ConnectionParts, type VersionedAgent } from "../session/connection.ts";
import { LOGIN_METHODS } from "../session/login.ts";
import { abilitiesOf } from "./abilities.ts";
import type { V1Connection } from "./connection.ts";
import { initializeAnswer } from "./initialize.ts";
import { V1Peer } from "./peer.ts";
import { addPromptHandlers } from "./prompt-handlers.ts";
import { addSessionHandlers } from "./session-handlers.ts";
import { addSettingHandlers } from "./setting-handlers.ts";

/** The agent's side of one connection in protocol version 1: each method with its handler. */
export function v1Agent(parts: ConnectionParts): VersionedAgent {
  // What the client said of itself last counts for the sessions that it opens from then on.
  let abilities = abilitiesOf({});
  const connection: V1Connection = new Connection(parts, {
    authMethods: LOGIN_METHODS,
    peer: (client, ports) => new V1Peer(abilities, { client, ...ports }),
  });
  const app = agent({ name: "agent-host" }).onRequest(methods.agent.initialize, ({ params }) => {
    abilities = abilitiesOf(params);
    return initializeAnswer(parts.process, abilities);
  });
  addLoginHandlers(app, connection);
  addSessionHandlers(app, connection);
  addPromptHandlers(app, connection);
  addSettingHandlers(app, connection);
  return { connect: (stream) => app.connect(stream), leave: () => connection.leave() };
}

function addLoginHandlers(app: AgentApp, connection: V1Connection): void {
  const { login } = connection;
  app
    .onRequest(
      methods.agent.authenticate,
      connection.handler(({ params }, { host }) => {
        login.login(params.methodId, host.services.models());
        return {};
      }),
    )
    .onRequest(
      methods.agent.logout,
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
