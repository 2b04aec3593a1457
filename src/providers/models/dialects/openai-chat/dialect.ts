import type { Dialect } from "../dialect.ts";
import { toChatMessages } from "./messages.ts";
import { ChatReply } from "./reply.ts";
import { chatBody } from "./request.ts";

/** Chat completions; messages are encoded to JSON text. */
export const chatDialect: Dialect<string> = {
  path: "/chat/completions",
  refusals: { items: /reasoning_details|reasoning_content|thought_signature|extra_content/i },
  headers: () => ({}),
  encode: (message, encoding) =>
    toChatMessages(message, encoding)
      .map((encoded) => JSON.stringify(encoded))
      .join(","),
  body: chatBody,
  reply: (context) => new ChatReply(context),
};
