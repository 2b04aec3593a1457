import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { errorResponse, INVALID_REQUEST } from "../../jsonrpc/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import type { MessageWriter } from "./message-writer.ts";

/**
 * Waits for a client's `initialize`; gives it with the version of the protocol that it is served in, and `undefined` when
 * the client leaves without. Requests before it are refused: which version must be loaded is not known any earlier.
 */
export async function awaitInitialize(
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
