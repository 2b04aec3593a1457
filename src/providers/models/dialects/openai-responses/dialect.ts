import type { Dialect } from "../dialect.ts";
import { chatDialect } from "../openai-chat/dialect.ts";
import { toInputItems } from "./input.ts";
import { ResponsesReply } from "./reply.ts";
import { responsesBody } from "./request.ts";

/** Responses; messages are encoded to the JSON text of their input items. */
export const responsesDialect = {
  id: "responses_api",
  label: "Responses",
  providers: {},
  path: "/responses",
  modelList: { path: "/models" },
  hasServiceTiers: true,
  refusals: {
    items:
      /item.{0,80}'?rs_|encrypted.content.{0,60}(could not|cannot|invalid|verif|decrypt)|invalid_encrypted_content/i,
    summary: /reasoning.summar|reasoning summaries/i,
    encrypted: /encrypted content is not supported|reasoning\.encrypted_content|parameter.{0,20}\binclude\b/i,
    thinking: /reasoning\.effort|['"`]reasoning['"`]/i,
  },
  // Legacy addresses name a deployment, which stands in the body here.
  address: (endpoint) => ({ ...endpoint, baseUrl: endpoint.baseUrl.replace(/\/deployments\/[^/]+$/, "") }),
  keyHeaders: chatDialect.keyHeaders,
  headers: () => ({}),
  encode: (message, context) =>
    toInputItems(message, context)
      .map((item) => JSON.stringify(item))
      .join(","),
  body: responsesBody,
  reply: (context) => new ResponsesReply(context),
} as const satisfies Dialect<string>;
