import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { errorResponse, INVALID_REQUEST, type RequestId } from "../../jsonrpc/index.ts";
import { settledOrAborted, untilAborted } from "../../shared/async/deadline.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { AnsweredRequests } from "./answered-requests.ts";
import type { MessageWriter } from "./message-writer.ts";
import type { PromptRequests } from "./prompt-requests.ts";
import { readableError } from "./request-error.ts";

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

/**
 * Makes the pair of streams that the SDK reads messages from and writes messages to. They are no streams of the web, which
 * take a start 2 ms and each message several waits: the SDK asks them for one reader, and for a writer at a time.
 */
export function sdkStream(messages: AsyncGenerator<AnyMessage, void>, ports: StreamPorts): Stream {
  /** The ids of our requests that have no answer yet. */
  const asked = new Set<unknown>();
  const incoming = new IncomingMessages(messages, { ...ports, asked });
  const write = outgoing({ ...ports, asked });
  const releaseLock = (): void => undefined;
  const reader = { read: () => incoming.read(), cancel: () => incoming.cancel(), releaseLock };
  const writer = { write: async (message: AnyMessage): Promise<void> => write(message), releaseLock };
  return {
    readable: { getReader: () => reader },
    writable: { getWriter: () => writer },
  } as unknown as Stream;
}

/** The ports of one direction. */
type DirectionPorts = StreamPorts & {
  /** The ids of our requests that have no answer yet. */
  readonly asked: Set<unknown>;
};

/** What a reader of messages is given. */
type ReadResult = ReadableStreamReadResult<AnyMessage>;

const OVER: ReadResult = { done: true, value: undefined };

/** The messages of a client, for one reader, which asks for one at a time. */
class IncomingMessages {
  readonly #messages: AsyncGenerator<AnyMessage, void>;
  readonly #ports: DirectionPorts;
  readonly #reading = new AbortController();
  /** The SDK refuses requests until `initialize` is answered; clients may send them right behind it. */
  readonly #initialized: Promise<unknown> | undefined;
  #first: AnyMessage | undefined;
  #waiting: PromiseWithResolvers<ReadResult> | undefined;

  constructor(messages: AsyncGenerator<AnyMessage, void>, ports: DirectionPorts) {
    const { first, answers, until } = ports;
    this.#messages = messages;
    this.#ports = ports;
    this.#first = first;
    this.#initialized = "id" in first ? settledOrAborted(answers.after(first.id), until) : undefined;
    void untilAborted(until, this.#reading.signal).then(() => this.#end());
  }

  /** Gives the next message; `done` when the client has left and has all its answers, or at once when `until` aborts. */
  read(): Promise<ReadResult> {
    const waiting = Promise.withResolvers<ReadResult>();
    this.#waiting = waiting;
    this.#next().then(waiting.resolve, waiting.reject);
    return waiting.promise;
  }

  async cancel(): Promise<void> {
    this.#end();
    await this.#messages.return();
  }

  /** Whoever reads hears that it is over. */
  #end(): void {
    this.#reading.abort();
    this.#waiting?.resolve(OVER);
  }

  async #next(): Promise<ReadResult> {
    if (this.#reading.signal.aborted) return OVER;
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined) return this.#received(first);
    await this.#initialized;
    const next = await nextFor(this.#messages, this.#ports);
    if (next === undefined) await this.#ports.answers.settled(this.#ports.until);
    if (this.#reading.signal.aborted) return OVER;
    if (next !== undefined) return this.#received(next);
    this.#reading.abort();
    return OVER;
  }

  #received(message: AnyMessage): ReadResult {
    this.#ports.prompts.received(message);
    this.#ports.answers.received(message);
    return { done: false, value: message };
  }
}

/** Gives what sends a message to the client. */
function outgoing({ isGreeted, writer, answers, asked }: DirectionPorts): (message: AnyMessage) => void {
  let isKnown = isGreeted;
  return (message) => {
    // The first message that goes out is the answer to the first that came in.
    if (isKnown) {
      isKnown = false;
      return answers.sent(message);
    }
    if ("method" in message && "id" in message) asked.add(message.id);
    writer.post("error" in message ? { ...message, error: readableError(message.error) } : message, {
      raw: true,
    });
    answers.sent(message);
  };
}

const NO_METHOD = {
  code: INVALID_REQUEST,
  message: "Invalid request: it has neither a method nor a result or an error.",
};

/** Gives the next message, without answers and cancels that belong to nothing: the SDK would report them on stderr. */
async function nextFor(
  messages: AsyncGenerator<AnyMessage, void>,
  { asked, writer }: Pick<DirectionPorts, "asked" | "writer">,
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
