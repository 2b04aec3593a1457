import { defined } from "../../../../shared/json/defined.ts";
import { bearer } from "../../endpoint/credential.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";
import { type Dialect, type DetectedDialect, type EndpointProbe, probeHeaders } from "../dialect.ts";
import type { ModelSettings } from "../model-settings.ts";
import { encodeMessage } from "./messages.ts";
import { MessagesReply } from "./reply.ts";
import { messagesFrame } from "./request.ts";
import { isJsonObject } from "../../../../shared/json/json.ts";
import type { JsonAnswer } from "../../endpoint/json-request.ts";

const API_VERSION = "2025-04-15";
/** The vendor's own service has no versions in its addresses. */
const VENDOR_URL = "https://api.anthropic.com";
const VENDOR_HOST = new URL(VENDOR_URL).host;
/** The kind whose keys are keys of this dialect's own service, also behind a host of the cloud. */
const KIND = "messages";

const LONG_CONTEXT_BETA = "context-1m-2025-08-07";
/** The models have this much context, in tokens, without the request for more. */
const USUAL_CONTEXT = 200_000;

/** The version of the dialect, in a header of every request. */
const PROTOCOL_HEADERS = { "anthropic-version": "2023-06-01" } as const;

/** Messages. */
export const messagesDialect = {
  id: "messages_api",
  label: "Messages",
  providers: {
    [KIND]: {
      menu: { place: 2, label: "Anthropic", page: "https://console.anthropic.com/settings/keys" },
      baseUrl: VENDOR_URL,
      baseUrlVariable: "ANTHROPIC_BASE_URL",
      keyVariables: [
        { name: "CLOUD_MESSAGES_KEY", service: "cloud" },
        { name: "ANTHROPIC_API_KEY", service: "vendor" },
      ],
      recommended: /^claude-sonnet-[\d-]+$/,
      oneDialect: true,
    },
  },
  path: "/v1/messages",
  pathMarkers: ["anthropic", "anthropic-style"],
  // https://platform.claude.com/docs/en/api/models/list: newest first, 20 at a time unless told.
  modelList: { path: "/v1/models", query: { limit: "1000" }, headers: PROTOCOL_HEADERS },
  hasServiceTiers: false,
  refusals: {
    items: /signature|(thinking|redacted_thinking)[`'"]? blocks?.{0,80}(cannot be modified|invalid)/i,
    thinking:
      /expected [`'"]?thinking|thinking.{0,40}(not support|unsupported|extra inputs|unknown|disabled)|output_config|adaptive thinking/i,
  },
  address: messagesEndpoint,
  keyHeaders: (key, { kind, endpoint }) =>
    endpoint.cloud && kind !== KIND ? bearer(key) : { "x-api-key": key },
  detect: detectMessages,
  headers: (settings) => ({
    ...PROTOCOL_HEADERS,
    ...defined({ "anthropic-beta": asksForLongContext(settings) ? LONG_CONTEXT_BETA : undefined }),
  }),
  encode: encodeMessage,
  frame: messagesFrame,
  reply: (context) => new MessagesReply(context),
} as const satisfies Dialect;

/** Leaves out `/v1` at the end, which is part of this dialect's path, and sets the one `api-version`. */
function messagesEndpoint(endpoint: Endpoint): Endpoint {
  const version = endpoint.host === VENDOR_HOST ? {} : { "api-version": API_VERSION };
  return {
    ...endpoint,
    baseUrl: endpoint.baseUrl.replace(/\/v1$/, ""),
    query: { ...endpoint.query, ...version },
  };
}

const asksForLongContext = ({ cloud, contextLength }: ModelSettings): boolean =>
  cloud || contextLength > USUAL_CONTEXT;

/** Tells whether an endpoint answers a request for one token of a made-up model in the shape of messages. */
async function detectMessages(
  endpoint: Endpoint,
  probe: EndpointProbe,
): Promise<DetectedDialect | undefined> {
  const { credential } = probe;
  const headers = {
    "content-type": "application/json",
    ...PROTOCOL_HEADERS,
    ...probeHeaders(credential),
    ...(credential?.kind === "key" && { "x-api-key": credential.value }),
  };
  const body = { model: "probe", max_tokens: 1, messages: [{ role: "user", content: "ping" }] };
  const answer = await probe.ask({
    endpoint: messagesEndpoint(endpoint),
    path: "/v1/messages",
    headers,
    body,
  });
  return answer !== undefined && isMessagesAnswer(answer)
    ? { endpoint, models: [], by: "answer" }
    : undefined;
}

function isMessagesAnswer({ status, body }: JsonAnswer): boolean {
  if (isJsonObject(body)) {
    if (body["type"] === "message") return true;
    if (body["type"] === "error" && isJsonObject(body["error"])) return true;
  }
  return status === 400 && /messages|model/i.test(JSON.stringify(body));
}
