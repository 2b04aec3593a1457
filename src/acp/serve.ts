import type { Host } from "../core/index.ts";
import type { AcpPorts } from "./ports.ts";
import { PromptTickets } from "./session/prompt-tickets.ts";
import { v1Agent } from "./v1/agent.ts";
import { Answers } from "./wire/answers.ts";
import { readMessages, sdkStream } from "./wire/message-stream.ts";
import { type AcpTransport, Outbox } from "./wire/outbox.ts";

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
  const answers = new Answers();
  const tickets = new PromptTickets(answers);
  const agent = v1Agent({ host, outbox, answers, tickets, process });
  const passing = {
    received: tickets.note.bind(tickets),
    sent: answers.note.bind(answers),
  };
  const connection = agent.app.connect(
    sdkStream(readMessages(transport.input, { limit, outbox }), { outbox, passing }),
  );
  const over = AbortSignal.any([signal, left.signal]);
  const stop = (): void => connection.close();
  over.addEventListener("abort", stop, { once: true });
  if (over.aborted) stop();
  await connection.closed;
  over.removeEventListener("abort", stop);
  await agent.leave();
  await outbox.empty();
}
