import { bearer } from "../../endpoint/credential.ts";
import type { Dialect } from "../dialect.ts";
import { detectChat } from "./detect.ts";
import { toChatMessages } from "./messages.ts";
import { ChatReply } from "./reply.ts";
import { chatBody } from "./request.ts";
import { chatVendors } from "./vendors.ts";

/** Chat completions; messages are encoded to JSON text. */
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
  encode: (message, context) =>
    toChatMessages(message, context)
      .map((encoded) => JSON.stringify(encoded))
      .join(","),
  body: chatBody,
  reply: (context) => new ChatReply(context),
} as const satisfies Dialect<string>;
