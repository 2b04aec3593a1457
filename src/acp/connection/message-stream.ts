import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import {
  errorResponse,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type InputLine,
  LineSplitter,
  readMessage,
  type RequestId,
} from "../../jsonrpc/index.ts";
import { settledOrAborted, untilAborted } from "../../shared/async/deadline.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { AnsweredRequests } from "./answered-requests.ts";
import type { MessageWriter } from "./message-writer.ts";
import type { PromptRequests } from "./prompt-requests.ts";
import { readableError } from "./request-error.ts";

/** The parts that the reading of messages uses. */
export interface MessageReading {
  /** Bytes of the longest message. */
  readonly limit: number;
  readonly writer: MessageWriter;
}

/**
 * Reads the messages of a byte stream, in order. A line that is no message is answered here, so that one bad line never
 * ends the connection.
 */
export async function* readMessages(
  input: AsyncIterable<Uint8Array>,
  reading: MessageReading,
): AsyncGenerator<AnyMessage, void> {
  const splitter = new LineSplitter(reading.limit, { scan: true });
  for await (const chunk of input) for (const line of splitter.push(chunk)) yield* messageIn(line, reading);
  for (const line of splitter.end()) yield* messageIn(line, reading);
}

function* messageIn(line: InputLine, { limit, writer }: MessageReading): Generator<AnyMessage, void> {
  if (line.type === "too-long") {
    const { id, hasMethod } = line.envelope;
    const message = `The message has ${line.size} bytes; at most ${limit} are taken.`;
    // A request of ours whose answer was too long fails, as if the client had refused it.
    if (!hasMethod && id !== undefined)
      return yield { jsonrpc: "2.0", id, error: { code: INTERNAL_ERROR, message } };
    const code = id === undefined ? INVALID_REQUEST : INVALID_PARAMS;
    return writer.post(errorResponse(id ?? null, { code, message }), { raw: true });
  }
  const message = readMessage(line.text, { version: true });
  switch (message.type) {
    case "blank":
      return undefined;
    case "invalid": {
      const { problem, id, error } = message;
      const code = problem === "nesting" ? INVALID_PARAMS : error.code;
      return writer.post(errorResponse(id, { ...error, code }), { raw: true });
    }
    case "request":
    case "notification":
    case "response":
      // The envelope was checked; the SDK checks the rest before it uses it.
      yield message.body as unknown as AnyMessage;
  }
}

const NO_METHOD = {
  code: INVALID_REQUEST,
  message: "Invalid request: it has neither a method nor a result or an error.",
};

/** The parts that a pair of streams is made of. */
export interface StreamPorts {
  /** The first message, which was taken out of the others already. */
  readonly first: AnyMessage;
  /** It was answered before this program was loaded: its answer is not sent again. */
  readonly isGreeted: boolean;
  readonly writer: MessageWriter;
  readonly answers: AnsweredRequests;
  readonly prompts: PromptRequests;
  /** The input ends when this aborts, as if the client had left. */
  readonly until: AbortSignal;
}

/** Makes the pair of streams that the SDK reads messages from and writes messages to. */
export function sdkStream(
  messages: AsyncGenerator<AnyMessage, void>,
  { first, isGreeted, writer, answers, prompts, until }: StreamPorts,
): Stream {
  const reading = new AbortController();
  /** The ids of our requests that have no answer yet. */
  const asked = new Set<unknown>();
  // The SDK refuses requests until `initialize` is answered; clients may send them right behind it.
  const initialized = "id" in first ? settledOrAborted(answers.after(first.id), until) : undefined;
  let isKnown = isGreeted;
  const receive = (message: AnyMessage, controller: ReadableStreamDefaultController<AnyMessage>): void => {
    prompts.received(message);
    answers.received(message);
    controller.enqueue(message);
  };
  return {
    readable: new ReadableStream({
      start(controller) {
        receive(first, controller);
        void untilAborted(until, reading.signal).then(() => {
          reading.abort();
          controller.close();
        });
      },
      async pull(controller) {
        await initialized;
        const next = await nextFor(asked, { messages, writer });
        if (next === undefined) await answers.settled(until);
        if (reading.signal.aborted) return;
        if (next !== undefined) return receive(next, controller);
        reading.abort();
        controller.close();
      },
      async cancel() {
        reading.abort();
        await messages.return();
      },
    }),
    writable: new WritableStream({
      write: (message) => {
        // The first message that goes out is the answer to the first that came in.
        if (isKnown) {
          isKnown = false;
          return answers.sent(message);
        }
        if ("method" in message && "id" in message) asked.add(message.id);
        const outgoing = "error" in message ? { ...message, error: readableError(message.error) } : message;
        writer.post(outgoing, { raw: true });
        answers.sent(message);
      },
    }),
  };
}

/** Gives the next message, without answers and cancels that belong to nothing: the SDK would report them on stderr. */
async function nextFor(
  asked: Set<unknown>,
  {
    messages,
    writer,
  }: { readonly messages: AsyncGenerator<AnyMessage, void>; readonly writer: MessageWriter },
): Promise<AnyMessage | undefined> {
  for (;;) {
    const next = await messages.next();
    if (next.done === true) return undefined;
    const { value: message } = next;
    if ("method" in message ? !cancelsNothing(message) : asked.delete(message.id)) return message;
    // Its sender forgot the method, and waits.
    if (!("method" in message || "result" in message || "error" in message))
      writer.post(errorResponse((message as { readonly id: RequestId }).id, NO_METHOD), { raw: true });
  }
}

function cancelsNothing(message: Extract<AnyMessage, { readonly method: string }>): boolean {
  if (message.method !== "session/cancel" || "id" in message) return false;
  return !isJsonObject(message.params) || typeof message.params["sessionId"] !== "string";
}
