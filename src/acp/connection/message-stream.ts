import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { cleanJson, isJsonObject } from "../../shared/json/json.ts";
import { toHostError } from "../../shared/errors/host-error.ts";
import { untilAborted } from "../../shared/async/deadline.ts";
import { type Envelope, type Line, LineSplitter } from "../../jsonrpc/index.ts";
import { malformed, refusedId } from "./malformed.ts";
import type { Outbox } from "./outbox.ts";
import { readableError } from "./readable-error.ts";

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const INVALID_PARAMS = -32602;
const INTERNAL = -32603;

export interface ReadOptions {
  /** Bytes of the longest message. */
  readonly limit: number;
  readonly outbox: Outbox;
}

/**
 * The messages of a byte stream, in order. What is no message is answered here, so that one bad line never ends the
 * connection.
 */
export async function* readMessages(
  input: AsyncIterable<Uint8Array>,
  { limit, outbox }: ReadOptions,
): AsyncGenerator<AnyMessage, void> {
  const splitter = new LineSplitter(limit, { scan: true });
  for await (const chunk of input) {
    for (const line of splitter.push(chunk)) yield* read(line, limit, outbox);
  }
  for (const line of splitter.end()) yield* read(line, limit, outbox);
}

/** Whoever looks at messages as they pass. */
interface Passing {
  /** A message came in; its handler has not run yet. */
  received(message: AnyMessage): void;
  sent(message: AnyMessage): void;
}

export interface StreamPorts {
  readonly outbox: Outbox;
  readonly passing: Passing;
  /** The input ends when this aborts, as if the client had left. */
  readonly until: AbortSignal;
}

/** A pair of streams as the SDK takes them. */
export function sdkStream(
  messages: AsyncGenerator<AnyMessage, void>,
  { outbox, passing, until }: StreamPorts,
): Stream {
  const reading = new AbortController();
  /** The ids of our requests that have no answer yet. */
  const asked = new Set<unknown>();
  return {
    readable: new ReadableStream({
      start(controller) {
        void untilAborted(until, reading.signal).then(() => {
          reading.abort();
          controller.close();
        });
      },
      async pull(controller) {
        const next = await nextFor(asked, messages);
        if (reading.signal.aborted) return;
        if (next === undefined) {
          reading.abort();
          return controller.close();
        }
        passing.received(next);
        controller.enqueue(next);
      },
      async cancel() {
        reading.abort();
        await messages.return();
      },
    }),
    writable: new WritableStream({
      write: (message) => {
        if ("method" in message && "id" in message) asked.add(message.id);
        const outgoing = "error" in message ? { ...message, error: readableError(message.error) } : message;
        outbox.post(outgoing, { raw: true });
        passing.sent(message);
      },
    }),
  };
}

/** The next message that means something: of answers and cancels to nothing the SDK would complain on stderr. */
async function nextFor(
  asked: Set<unknown>,
  messages: AsyncGenerator<AnyMessage, void>,
): Promise<AnyMessage | undefined> {
  for (;;) {
    const next = await messages.next();
    if (next.done === true) return undefined;
    const { value: message } = next;
    if ("method" in message ? !cancelsNothing(message) : asked.delete(message.id)) return message;
  }
}

function cancelsNothing(message: Extract<AnyMessage, { readonly method: string }>): boolean {
  if (message.method !== "session/cancel" || "id" in message) return false;
  return !isJsonObject(message.params) || typeof message.params["sessionId"] !== "string";
}

function* read(line: Line, limit: number, outbox: Outbox): Generator<AnyMessage, void> {
  const refuse = (id: string | number | null, code: number, message: string): void =>
    outbox.post({ jsonrpc: "2.0", id, error: { code, message } }, { raw: true });
  if (line.type === "too-long") {
    const problem = `The message has ${line.size} bytes; at most ${limit} are taken.`;
    const answer = lostAnswer(line.envelope, problem);
    if (answer !== undefined) return yield answer;
    const { id } = line.envelope;
    if (id === undefined) return refuse(null, INVALID_REQUEST, problem);
    return refuse(id, INVALID_PARAMS, problem);
  }
  const { text } = line;
  if (text.trim() === "") return undefined;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return refuse(null, PARSE_ERROR, "Parse error: the line is no JSON.");
  }
  if (Array.isArray(message))
    return refuse(null, INVALID_REQUEST, "Invalid request: JSON-RPC batches are not supported.");
  if (!isJsonObject(message))
    return refuse(null, INVALID_REQUEST, "Invalid request: a message is a JSON object.");
  const problem = malformed(message);
  if (problem !== undefined)
    return refuse(refusedId(message), INVALID_REQUEST, `Invalid request: ${problem}.`);
  try {
    cleanJson(message);
  } catch (thrown) {
    return refuse(refusedId(message), INVALID_PARAMS, toHostError(thrown).message);
  }
  // Its outside was looked at above; the SDK looks at the rest before it uses it.
  yield message as unknown as AnyMessage;
}

/** A request of ours whose answer was too long is told so, as if the client had refused it. */
function lostAnswer({ id, hasMethod }: Envelope, message: string): AnyMessage | undefined {
  if (hasMethod || id === undefined) return undefined;
  return { jsonrpc: "2.0", id, error: { code: INTERNAL, message } };
}
