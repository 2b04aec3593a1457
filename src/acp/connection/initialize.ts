import type { AnyMessage } from "@agentclientprotocol/sdk/unstable";
import { isJsonObject } from "../../shared/json/json.ts";
import type { Outbox } from "./outbox.ts";

/** What a client began with, and the messages from there on. */
export interface Initialized {
  /** The version of the protocol that it is spoken to in. */
  readonly version: 1 | 2;
  readonly messages: AsyncGenerator<AnyMessage, void>;
}

const INVALID_REQUEST = -32600;

/**
 * Waits until a client introduces itself; `undefined` when it leaves without. Requests before that are refused, as both
 * versions want it; which of the two is spoken, and has to be loaded, is not known any earlier.
 */
export async function awaitInitialize(
  messages: AsyncGenerator<AnyMessage, void>,
  outbox: Outbox,
): Promise<Initialized | undefined> {
  for (;;) {
    const next = await messages.next();
    if (next.done === true) return undefined;
    const { value: message } = next;
    if (isIntroduction(message)) return { version: versionIn(message), messages: begun(message, messages) };
    if (!("method" in message) || !("id" in message)) continue;
    const error = { code: INVALID_REQUEST, message: "Invalid request: initialize comes first." };
    outbox.post({ jsonrpc: "2.0", id: message.id, error }, { raw: true });
  }
}

async function* begun(
  first: AnyMessage,
  rest: AsyncGenerator<AnyMessage, void>,
): AsyncGenerator<AnyMessage, void> {
  yield first;
  yield* rest;
}

const isIntroduction = (message: AnyMessage): boolean =>
  "method" in message && "id" in message && message.method === "initialize";

/**
 * The draft is for those who ask for it. Who asks for more than there is gets the newest version that it writes like,
 * and who says nothing usable is told so by version 1.
 */
function versionIn(message: AnyMessage): 1 | 2 {
  const params = "params" in message ? message.params : undefined;
  if (!isJsonObject(params)) return 1;
  const { protocolVersion: asked, info } = params;
  if (typeof asked !== "number" || asked < 2) return 1;
  return asked === 2 || isJsonObject(info) ? 2 : 1;
}
