/** The kinds of provider, by each of their names, as setup takes them. */
export const SETUP_PROVIDERS = [
  "cloud-foundry",
  "openai",
  "local",
  "gemini",
  "openrouter",
  "groq",
  "mistral",
  "deepseek",
  "xai",
  "ollama",
  "lmstudio",
  "llamacpp",
  "vllm",
  "messages",
  "demo",
  "anthropic",
  "azure",
  "google",
  "grok",
  "lm-studio",
  "llama.cpp",
] as const;

/** The dialects of models, as setup takes them. */
export const SETUP_API_MODES = ["chat_completions", "responses_api", "messages_api"] as const;
