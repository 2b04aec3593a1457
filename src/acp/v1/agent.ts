import { agent, methods } from "@agentclientprotocol/sdk/unstable";
import { AcpConnection, type ConnectionParts, type VersionedAgent } from "../session/connection.ts";
import { abilitiesOf } from "./abilities.ts";
import { v1Protocol } from "./protocol.ts";
import { initializeAnswer } from "./initialize.ts";
import { addMethods } from "./methods.ts";

/** The agent's side of one connection in protocol version 1. */
export function v1Agent(parts: ConnectionParts): VersionedAgent {
  // What the client said of itself last counts for the sessions that it opens from then on.
  let abilities = abilitiesOf({});
  const connection = new AcpConnection(
    parts,
    v1Protocol(() => abilities),
  );
  const app = agent({ name: "agent-host" }).onRequest(methods.agent.initialize, ({ params }) => {
    abilities = abilitiesOf(params);
    return initializeAnswer(parts.process, abilities);
  });
  addMethods(app, connection);
  return { connect: (stream) => app.connect(stream), leave: () => connection.leave() };
}
