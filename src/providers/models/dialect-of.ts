import type { ApiMode, ProviderKind } from "./config.ts";
import { familyName } from "./families.ts";

/** Families that the cloud service answers only in the responses dialect, whatever the configuration says. */
const RESPONSES_ONLY = ["codex", "gpt-5", "o1", "o3", "o4"];

/** Path segments that mark the messages-style route. */
const MESSAGES_MARKERS = ["anthropic", "anthropic-style"];

/** The dialect in which a model is spoken to. */
export function dialectOf(about: {
  readonly kind: ProviderKind;
  readonly model: string;
  readonly baseUrl: string;
  readonly apiMode?: ApiMode;
}): ApiMode {
  const { kind, apiMode } = about;
  if (kind === "messages") return "messages_api";
  const segments = new URL(about.baseUrl).pathname.split("/");
  const mode =
    apiMode ?? (segments.some((part) => MESSAGES_MARKERS.includes(part)) ? "messages_api" : undefined);
  if (mode === "messages_api") return mode;
  if (kind === "cloud-foundry" && isResponsesOnly(about.model)) return "responses_api";
  return mode ?? "chat_completions";
}

const isResponsesOnly = (model: string): boolean =>
  RESPONSES_ONLY.some((family) => familyName(model).startsWith(family));
