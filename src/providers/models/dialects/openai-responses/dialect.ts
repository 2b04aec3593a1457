import type { Dialect } from "../dialect.ts";
import { toInputItems } from "./input.ts";
import { ResponsesReply } from "./reply.ts";
import { responsesBody } from "./request.ts";

/** Responses; messages are encoded to the JSON text of their input items. */
export const responsesDialect: Dialect<string> = {
  path: "/responses",
  refusals: {
    items:
      /item.{0,80}'?rs_|encrypted.content.{0,60}(could not|cannot|invalid|verif|decrypt)|invalid_encrypted_content/i,
    summary: /reasoning.summar|reasoning summaries/i,
    encrypted: /encrypted content is not supported|reasoning\.encrypted_content|parameter.{0,20}\binclude\b/i,
    thinking: /reasoning\.effort|['"`]reasoning['"`]/i,
  },
  headers: () => ({}),
  encode: (message, encoding) =>
    toInputItems(message, encoding)
      .map((item) => JSON.stringify(item))
      .join(","),
  body: responsesBody,
  reply: (context) => new ResponsesReply(context),
};
