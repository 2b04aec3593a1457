import { defined } from "../../../../shared/json/defined.ts";
import type { ProviderKindInfo } from "../provider-kind.ts";

/** The choices that setup offers for a vendor. */
type VendorMenu = NonNullable<ProviderKindInfo["menu"]> & Pick<ProviderKindInfo, "recommended">;

/** Makes a vendor that speaks chat completions and wants a key. */
const vendor = (
  { recommended, ...menu }: VendorMenu,
  baseUrl: string,
  keys: readonly string[],
): ProviderKindInfo => ({
  menu,
  ...defined({ recommended }),
  baseUrl,
  // The last one goes first at the vendor's own host.
  keyVariables: keys.map((name) => ({ name, service: "vendor" })),
  notForChat: /embed|whisper|tts|image|imagen|veo|moderation|audio|transcribe|voxtral|ocr|rerank|aqa/i,
});

/** Makes a server that its owner runs, at its usual address on this machine. */
const server = (menu: NonNullable<ProviderKindInfo["menu"]>, baseUrl: string): ProviderKindInfo => ({
  menu,
  baseUrl,
  setupKeyVariable: "LOCAL_MODEL_KEY",
  selfHosted: true,
  asksAddress: true,
});

/** Vendors and servers that speak chat completions at an address of their own. */
export const chatVendors = {
  gemini: vendor(
    {
      place: 4,
      label: "Gemini",
      page: "https://aistudio.google.com/apikey",
      recommended: /^(models\/)?gemini-[\d.]+-pro$/,
    },
    "https://generativelanguage.googleapis.com/v1beta/openai",
    ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
  ),
  openrouter: vendor(
    { place: 5, label: "OpenRouter", page: "https://openrouter.ai/keys", recommended: /^openrouter\/auto$/ },
    "https://openrouter.ai/api/v1",
    ["OPENROUTER_API_KEY"],
  ),
  groq: vendor(
    { place: 6, label: "Groq", page: "https://console.groq.com/keys", recommended: /^openai\/gpt-oss-120b$/ },
    "https://api.groq.com/openai/v1",
    ["GROQ_API_KEY"],
  ),
  mistral: vendor(
    {
      place: 7,
      label: "Mistral",
      page: "https://console.mistral.ai/api-keys",
      recommended: /^mistral-large-latest$/,
    },
    "https://api.mistral.ai/v1",
    ["MISTRAL_API_KEY"],
  ),
  deepseek: vendor(
    {
      place: 8,
      label: "DeepSeek",
      page: "https://platform.deepseek.com/api_keys",
      recommended: /^deepseek-chat$/,
    },
    "https://api.deepseek.com/v1",
    ["DEEPSEEK_API_KEY"],
  ),
  xai: vendor(
    { place: 9, label: "xAI", page: "https://console.x.ai", recommended: /^grok-\d+(\.\d+)?(-\d{4})?$/ },
    "https://api.x.ai/v1",
    ["XAI_API_KEY"],
  ),
  ollama: server({ place: 10, label: "Ollama" }, "http://localhost:11434/v1"),
  lmstudio: server({ place: 11, label: "LM Studio" }, "http://localhost:1234/v1"),
  llamacpp: server({ place: 12, label: "llama.cpp" }, "http://localhost:8080/v1"),
  vllm: server({ place: 13, label: "vLLM" }, "http://127.0.0.1:8000/v1"),
} as const;
