import type { ModelMessage } from "../../../core/index.ts";
import type { EncodedMessage } from "../dialects/dialect.ts";

/** Encodes a message that is some items of a list of JSON values, to follow those of the message before it. */
export function listItems(items: readonly object[], before: ModelMessage | undefined): EncodedMessage {
  const text = items.map((item) => JSON.stringify(item)).join(",");
  return { text: before === undefined ? text : `,${text}` };
}
