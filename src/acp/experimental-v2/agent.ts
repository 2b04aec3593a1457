import { agent, agentProtocolRouter, methods } from "@agentclientprotocol/sdk/experimental/v2/unstable";
import { AcpConnection, type ConnectionParts, type VersionedAgent } from "../session/connection.ts";
import { abilitiesOf } from "./abilities.ts";
import { v2Protocol } from "./protocol.ts";
import { initializeAnswer } from "./initialize.ts";
import { addMethods } from "./methods.ts";

const NOBODY = abilitiesOf({ info: { name: "", version: "" } });

/** The agent's side of one connection in the draft of protocol version 2. */
export function v2Agent(parts: ConnectionParts): VersionedAgent {
  // What the client said of itself last counts for the sessions that it opens from then on.
  let abilities = NOBODY;
  const connection = new AcpConnection(
    parts,
    v2Protocol(() => abilities),
  );
  const app = agent({ name: "agent-host" }).onRequest(methods.agent.initialize, ({ params }) => {
    abilities = abilitiesOf(params);
    return initializeAnswer(parts.process, abilities);
  });
  addMethods(app, connection);
  return {
    connect: (stream) => agentProtocolRouter().withV2(app).connect(stream),
    leave: () => connection.leave(),
  };
}
