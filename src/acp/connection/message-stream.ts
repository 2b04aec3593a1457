import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import {
  errorResponse,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  type InputLine,
  LineSplitter,
  readMessage,
} from "../../jsonrpc/index.ts";
import type { MessageWriter } from "./message-writer.ts";

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
