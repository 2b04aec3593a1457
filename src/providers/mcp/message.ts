import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
} from "@modelcontextprotocol/client";

/** A line as a message; `undefined` when it is none. */
export function parseMessage(line: string): JSONRPCMessage | undefined {
  // Most of what is no message does not begin like one, and an exception for each line would cost much.
  if (!/^\s*\{/.test(line)) return undefined;
  try {
    return parseJSONRPCMessage(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** The requests that a server has not answered yet. */
export class OpenRequests {
  readonly #ids = new Set<string | number>();

  sent(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message)) this.#ids.add(message.id);
  }

  /** Takes a message of the server's; whether it is the answer to one of them. */
  answers(message: JSONRPCMessage): boolean {
    const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message);
    return isAnswer && message.id !== undefined && this.#ids.delete(message.id);
  }

  has(id: string | number): boolean {
    return this.#ids.has(id);
  }
}
