import type { Host } from "../core/index.ts";
import type { AcpPorts } from "./ports.ts";
import { PromptRequests } from "./connection/prompt-requests.ts";
import type { ConnectionParts } from "./session/connection.ts";
import { v1Agent } from "./v1/agent.ts";
import { untilAborted } from "../shared/async/deadline.ts";
import { AnsweredRequests } from "./connection/answered-requests.ts";
import { type Initialized, awaitInitialize } from "./connection/initialize.ts";
import { readMessages, sdkStream, type StreamPorts } from "./connection/message-stream.ts";
import { withLastAnswers } from "./connection/last-answers.ts";
import { type AcpTransport, Outbox } from "./connection/outbox.ts";

/** How one client is served. */
export interface ServeOptions {
  readonly transport: AcpTransport;
  readonly process: AcpPorts;
  /** Ends the connection as if the client had left. */
  readonly signal: AbortSignal;
  /** Bytes of the longest message that is taken; 32 MiB by default. */
  readonly messageLimit?: number;
}

const MESSAGE_LIMIT = 32 * 1024 * 1024;

/**
 * Serves one client until it leaves. The sessions stay, and so does the host: it is the caller's.
 *
 * @param host - may still be opening; a client is greeted before it is there, and told of a failure at its first request
 */
export async function serveAcp(host: Promise<Host>, options: ServeOptions): Promise<void> {
  const { transport, process, signal, messageLimit: limit = MESSAGE_LIMIT } = options;
  let hide = (json: string): string => json;
  host.then(
    ({ services }) => {
      hide = (json) => services.redactor().hide(json);
    },
    // Each request that needs a host says so.
    () => undefined,
  );
  const left = new AbortController();
  const write = async (text: string): Promise<void> => {
    try {
      await transport.write(text);
    } catch (thrown) {
      left.abort();
      throw thrown;
    }
  };
  const outbox = new Outbox(write, (json) => hide(json));
  const answers = new AnsweredRequests();
  const tickets = new PromptRequests(answers);
  const passing = {
    received: tickets.note.bind(tickets),
    sent: answers.note.bind(answers),
  };
  const until = AbortSignal.any([signal, left.signal]);
  const messages = readMessages(transport.input, { limit, outbox });
  const begun = await Promise.race([awaitInitialize(messages, outbox), untilAborted(until)]);
  if (begun !== undefined)
    await converse(begun, { host, outbox, answers, tickets, process }, { outbox, passing, until });
  await outbox.empty();
}

/** Speaks with a client in its version of the protocol until it leaves. */
async function converse(
  { version, messages }: Initialized,
  parts: ConnectionParts,
  ports: StreamPorts,
): Promise<void> {
  const { answers } = parts;
  const stream = sdkStream(withLastAnswers(messages, { answers, until: ports.until }), ports);
  // Few clients speak the draft: the others need not wait for it to be loaded.
  const agent = version === 1 ? v1Agent(parts) : (await import("./experimental-v2/agent.ts")).v2Agent(parts);
  await agent.connect(stream).closed;
  await agent.leave();
}
