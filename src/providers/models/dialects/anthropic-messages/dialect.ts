import type { Dialect } from "../dialect.ts";
import { MESSAGES_PROTOCOL } from "../../endpoint/endpoint.ts";
import type { ModelSettings } from "../model-settings.ts";
import { type EncodedMessage, toBlocks } from "./messages.ts";
import { MessagesReply } from "./reply.ts";
import { messagesBody } from "./request.ts";

const LONG_CONTEXT_BETA = "context-1m-2025-08-07";
/** More context than these models have without asking for it. */
const USUAL_CONTEXT = 200_000;

/** Messages. */
export const messagesDialect: Dialect<EncodedMessage> = {
  path: "/v1/messages",
  refusals: {
    items: /signature|(thinking|redacted_thinking)[`'"]? blocks?.{0,80}(cannot be modified|invalid)/i,
    thinking:
      /expected [`'"]?thinking|thinking.{0,40}(not support|unsupported|extra inputs|unknown|disabled)|output_config|adaptive thinking/i,
  },
  headers: (settings) => ({
    "anthropic-version": MESSAGES_PROTOCOL,
    ...(asksForLongContext(settings) ? { "anthropic-beta": LONG_CONTEXT_BETA } : {}),
  }),
  encode: toBlocks,
  body: messagesBody,
  reply: (context) => new MessagesReply(context),
};

const asksForLongContext = ({ kind, endpoint, contextLength }: ModelSettings): boolean =>
  kind === "cloud-foundry" || endpoint.cloud || contextLength > USUAL_CONTEXT;
