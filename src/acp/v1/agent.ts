import { agent, type AgentApp, methods } from "@agentclientprotocol/sdk/unstable";
import { type ConnectionParts, V1Connection } from "./connection.ts";
import { initializeAnswer } from "./initialize.ts";
import { addPromptHandlers } from "./prompt-handlers.ts";
import { addSessionHandlers } from "./session-handlers.ts";
import { addSettingHandlers } from "./setting-handlers.ts";

/** The agent's side of one connection in protocol version 1: each method with its handler. */
export function v1Agent(parts: ConnectionParts): { readonly app: AgentApp; leave(): Promise<void> } {
  const connection = new V1Connection(parts);
  const app = agent({ name: "agent-host" }).onRequest(methods.agent.initialize, ({ params }) => {
    const { terminalLogin: inTerminal } = connection.introduce(params);
    return initializeAnswer(parts.process, { methods: connection.login.methods, inTerminal });
  });
  addLoginHandlers(app, connection);
  addSessionHandlers(app, connection);
  addPromptHandlers(app, connection);
  addSettingHandlers(app, connection);
  return { app, leave: () => connection.leave() };
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
