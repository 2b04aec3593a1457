import { bearer } from "../../endpoint/credential.ts";
import {
  type BodyFrame,
  type Dialect,
  type FrameParts,
  type DetectedDialect,
  type EndpointProbe,
  probeHeaders,
} from "../dialect.ts";
import { toChatMessages } from "./messages.ts";
import { ChatReply } from "./reply.ts";
import { chatVendors } from "./vendors.ts";
import { listItems } from "../../request/json-list.ts";
import { toolEncoder, toolsField } from "../../request/tool-text.ts";
import { effortFor, outputLimitKey } from "../../catalog/families.ts";
import { type ListedModel, readModelList } from "../../catalog/model-list.ts";
import { servedContext } from "../../catalog/served-context.ts";
import type { Endpoint } from "../../endpoint/endpoint.ts";

/** Chat completions. */
export const chatDialect = {
  id: "chat_completions",
  label: "Chat completions",
  providers: {
    "cloud-foundry": {
      menu: { place: 3, label: "Azure AI Foundry, or another endpoint of that cloud" },
      baseUrlVariable: "CLOUD_FOUNDRY_BASE_URL",
      keyVariables: [{ name: "CLOUD_FOUNDRY_API_KEY", service: "cloud" }],
      asksAddress: true,
      cloud: true,
    },
    openai: {
      menu: { place: 1, label: "OpenAI", page: "https://platform.openai.com/api-keys" },
      baseUrl: "https://api.openai.com/v1",
      baseUrlVariable: "OPENAI_BASE_URL",
      keyVariables: [{ name: "OPENAI_API_KEY", service: "vendor" }],
      recommended: /^gpt-\d+(\.\d+)?$/,
      notForChat:
        /embed|whisper|tts|dall-e|image|moderation|audio|realtime|transcribe|sora|search|davinci|babbage|rerank/i,
    },
    local: {
      baseUrl: "http://localhost:8080/v1",
      setupKeyVariable: "LOCAL_MODEL_KEY",
      selfHosted: true,
      asksAddress: true,
    },
    ...chatVendors,
  },
  path: "/chat/completions",
  modelList: { path: "/models" },
  hasServiceTiers: true,
  refusals: { items: /reasoning_details|reasoning_content|thought_signature|extra_content/i },
  address: (endpoint) => endpoint,
  // Older paths of the cloud service know only `api-key`.
  keyHeaders: (key, { endpoint }) => (endpoint.cloud ? { ...bearer(key), "api-key": key } : bearer(key)),
  detect: detectChat,
  headers: () => ({}),
  encode: (message, context, before) => listItems(toChatMessages(message, context), before),
  frame: chatFrame,
  reply: (context) => new ChatReply(context),
} as const satisfies Dialect;

/** What a chat request says beside its messages: the system prompt before them, all else after them. */
function chatFrame({ request, settings }: FrameParts): BodyFrame {
  const { name, endpoint, stream, fastTier } = settings;
  const { system, messages, tools } = request;
  const limit = request.maxOutputTokens ?? settings.maxOutputTokens;
  const effort = effortFor(name, request.reasoning, settings.reasoning);
  const fields: string[] = [
    ...(stream ? [`"stream":true,"stream_options":{"include_usage":true}`] : []),
    ...(limit === undefined ? [] : [`"${outputLimitKey(name)}":${limit}`]),
    ...(effort === undefined ? [] : [`"reasoning_effort":${JSON.stringify(effort)}`]),
    ...(request.fast === true && fastTier !== undefined
      ? [`"service_tier":${JSON.stringify(fastTier)}`]
      : []),
    // Other endpoints refuse fields that they do not know.
    ...(endpoint.host === "api.openai.com" ? [`"prompt_cache_key":${JSON.stringify(request.cacheKey)}`] : []),
  ];
  const prompt = system === "" ? [] : [JSON.stringify({ role: "system", content: system })];
  return {
    head: [
      `{"model":${JSON.stringify(name)},"messages":[`,
      ...prompt,
      prompt.length > 0 && messages.length > 0 ? "," : "",
    ],
    tail: ["]", ...toolsField(tools.map(toolText)), ...fields.map((field) => `,${field}`), "}"],
  };
}

const toolText = toolEncoder(({ name, description, parameters }) => ({
  type: "function",
  function: { name, description, parameters },
}));

/** A server with more models than these is not asked about each. */
const SHORT_LIST = 8;
/** Legacy addresses of the cloud service list their models only with one of these. */
const LIST_VERSIONS = [undefined, "2025-04-01-preview", "2024-10-21"];

/** Tells whether an endpoint lists models as chat endpoints do, without and with an `api-version`. */
async function detectChat(endpoint: Endpoint, probe: EndpointProbe): Promise<DetectedDialect | undefined> {
  for (const version of LIST_VERSIONS) {
    const query = version === undefined ? endpoint.query : { "api-version": version, ...endpoint.query };
    const asked = { ...endpoint, query };
    const headers = probeHeaders(probe.credential);
    const answer = await probe.ask({ endpoint: asked, path: "/models", headers });
    const listed = answer?.status === 200 ? readModelList(answer.body) : undefined;
    if (listed === undefined) continue;
    const models =
      listed.length > SHORT_LIST
        ? listed
        : await Promise.all(listed.map((model) => withContext(model, asked, probe)));
    return { endpoint: asked, models, by: "models" };
  }
  return undefined;
}

/** A list may say what a model was made for; how much context its server was started with is said elsewhere. */
async function withContext(
  model: ListedModel,
  endpoint: Endpoint,
  probe: EndpointProbe,
): Promise<ListedModel> {
  if (!endpoint.local) return model;
  const root = { ...endpoint, baseUrl: endpoint.baseUrl.replace(/\/v1$/, "") };
  const contextLength = await servedContext(model.id, async (path, body) => {
    const answer = await probe.ask({ endpoint: root, path, body });
    return answer?.status === 200 ? answer.body : undefined;
  });
  return contextLength === undefined ? model : { ...model, contextLength };
}
