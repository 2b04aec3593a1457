import type { Host } from "../core/index.ts";
import { type WriteText, errorResponse, INVALID_REQUEST } from "../jsonrpc/index.ts";
import { untilAborted } from "../shared/async/deadline.ts";
import { AnsweredRequests } from "./connection/answered-requests.ts";
import { readMessages } from "./connection/message-stream.ts";
import { sdkStream } from "./connection/sdk-stream.ts";
import { MessageWriter } from "./connection/message-writer.ts";
import { PromptRequests } from "./connection/prompt-requests.ts";
import type { AcpPorts } from "./ports.ts";
import { v1Agent } from "./v1/agent.ts";
import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { isJsonObject } from "../shared/json/json.ts";

/** The bytes that come in, and the place that takes text; the surface knows nothing of processes. */
export interface AcpTransport {
  readonly input: AsyncIterable<Uint8Array>;
  /** Writes text; resolves when there is room for more, rejects when nobody reads any longer. */
  readonly write: WriteText;
  /** The client has the answer to its `initialize` already, which still comes in as the first message. */
  readonly isGreeted?: boolean;
}

/** The options of serving one client. */
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
  const left = new AbortController();
  const until = AbortSignal.any([signal, left.signal]);
  const write: WriteText = (text) =>
    transport.write(text).catch((thrown: unknown) => {
      left.abort();
      throw thrown;
    });
  const writer = new MessageWriter(write, hider(host));
  const answers = new AnsweredRequests();
  const prompts = new PromptRequests(answers);
  const input = readMessages(transport.input, { limit, writer });
  const initialized = await Promise.race([awaitInitialize(input, writer), untilAborted(until)]);
  if (initialized !== undefined) {
    const { version, request: first } = initialized;
    const parts = { host, writer, answers, prompts, process };
    const { isGreeted = false } = transport;
    // Few clients speak the draft: the others need not wait until it is loaded.
    const agent =
      version === 1 ? v1Agent(parts) : (await import("./experimental-v2/agent.ts")).v2Agent(parts);
    await agent.connect(sdkStream(input, { first, isGreeted, writer, answers, prompts, until })).closed;
    await agent.leave();
  }
  await writer.drained();
}

/** Hides secrets in JSON as soon as the host, which knows them, has opened. */
function hider(host: Promise<Host>): (json: string) => string {
  let hide = (json: string): string => json;
  host.then(
    ({ services }) => {
      hide = (json) => services.redactor().hideInJson(json);
    },
    // Each request that needs a host says why there is none.
    () => undefined,
  );
  return (json) => hide(json);
}

/**
 * Waits for a client's `initialize`; gives it with the version of the protocol that it is served in, and `undefined` when
 * the client leaves without. Requests before it are refused: which version must be loaded is not known any earlier.
 */
async function awaitInitialize(
  messages: AsyncGenerator<AnyMessage, void>,
  writer: MessageWriter,
): Promise<{ readonly version: 1 | 2; readonly request: AnyMessage } | undefined> {
  for (;;) {
    const next = await messages.next();
    if (next.done === true) return undefined;
    const { value: message } = next;
    if (!("method" in message) || !("id" in message)) continue;
    if (message.method === "initialize") return { version: versionIn(message.params), request: message };
    const error = { code: INVALID_REQUEST, message: "Invalid request: initialize comes first." };
    writer.post(errorResponse(message.id, error), { raw: true });
  }
}

/**
 * Chooses the version. A client that asks for a later one than there is gets the newest whose messages it writes.
 * Params that cannot be used are refused by version 1.
 */
function versionIn(params: unknown): 1 | 2 {
  if (!isJsonObject(params)) return 1;
  const { protocolVersion: asked, info } = params;
  if (typeof asked !== "number" || asked < 2) return 1;
  return asked === 2 || isJsonObject(info) ? 2 : 1;
}
