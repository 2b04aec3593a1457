import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { HostError } from "../../shared/errors/host-error.ts";
import { AnsweredRequests } from "../connection/answered-requests.ts";
import { PromptRequests } from "../connection/prompt-requests.ts";
import type { ConnectedAgent, ConnectionParts } from "./connection.ts";

/** Makes the agent's side of a connection. */
type MakeAgent = (parts: ConnectionParts) => ConnectedAgent;

/**
 * Plays a client that opens a session, to an agent that has no host and refuses it. Node reads a program's functions when
 * they are first called: those of a request are read then, and the first person need not wait for it.
 */
export async function rehearse(makeAgent: MakeAgent, parts: ConnectionParts): Promise<void> {
  const host = Promise.reject(new HostError("internal", "There is no host in a rehearsal."));
  host.catch(() => undefined);
  const answers = new AnsweredRequests();
  const agent = makeAgent({ ...parts, host, answers, prompts: new PromptRequests(answers) });
  const scene = new TransformStream<AnyMessage, AnyMessage>();
  const lines = scene.writable.getWriter();
  const requests = script();
  const next = (): void => {
    const request = requests.shift();
    void (request === undefined ? lines.close() : lines.write(request));
  };
  next();
  await agent.connect({ readable: scene.readable, writable: new WritableStream({ write: next }) }).closed;
  await agent.leave();
}

/** The requests of a client that opens a session, each to be sent when the last one was answered. */
const script = (): AnyMessage[] => [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } },
  { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: "/", mcpServers: [] } },
];
