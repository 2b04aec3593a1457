import type { ApiMode, ProviderKind } from "../config/models-config.ts";
import { familyName } from "../catalog/families.ts";

/** Families that the cloud service answers only in the responses dialect, whatever the configuration says. */
const RESPONSES_ONLY = ["codex", "gpt-5", "o1", "o3", "o4"];

/** Path segments that mark the messages-style route. */
const MESSAGES_MARKERS = ["anthropic", "anthropic-style"];

/** The dialect in which a model is spoken to. */
export function dialectOf(about: {
  readonly kind: ProviderKind;
  readonly model: string;
  readonly baseUrl: string;
  /** What its owner wrote. */
  readonly configuredMode?: ApiMode | undefined;
}): ApiMode {
  const { kind, configuredMode } = about;
  if (kind === "messages") return "messages_api";
  const mode = configuredMode ?? (hasMessagesMarker(about.baseUrl) ? "messages_api" : undefined);
  if (mode === "messages_api") return mode;
  if (kind === "cloud-foundry" && isResponsesOnly(about.model)) return "responses_api";
  return mode ?? "chat_completions";
}

/** The path of an address says that messages are spoken there. */
export const hasMessagesMarker = (baseUrl: string): boolean =>
  new URL(baseUrl).pathname.split("/").some((part) => MESSAGES_MARKERS.includes(part));

/** A family that answers in the responses dialect only. */
export const isResponsesOnly = (model: string): boolean =>
  RESPONSES_ONLY.some((family) => familyName(model).startsWith(family));
