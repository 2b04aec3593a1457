import { familyName } from "../catalog/families.ts";
import { type ApiMode, defaultDialect, DIALECTS, PROVIDER_KINDS, type ProviderKind } from "./registry.ts";

/** Families that the cloud service answers only in the responses dialect, whatever the configuration says. */
const RESPONSES_ONLY = ["codex", "gpt-5", "o1", "o3", "o4"];

/** Chooses the dialect in which a model is asked. */
export function chooseDialect(about: {
  readonly kind: ProviderKind;
  readonly model: string;
  readonly baseUrl: string;
  /** The configured `api_mode`. */
  readonly configuredMode?: ApiMode | undefined;
}): ApiMode {
  const { id } = defaultDialect(about.kind);
  const { oneDialect, cloud } = PROVIDER_KINDS[about.kind];
  if (oneDialect === true) return id;
  const mode = about.configuredMode ?? markedDialect(about.baseUrl) ?? id;
  return cloud === true && mode === "chat_completions" && isResponsesOnly(about.model)
    ? "responses_api"
    : mode;
}

/** Finds the dialect that the path of an address names. */
export function markedDialect(baseUrl: string): ApiMode | undefined {
  const segments = new URL(baseUrl).pathname.split("/");
  return DIALECTS.find(({ pathMarkers = [] }) => pathMarkers.some((marker) => segments.includes(marker)))?.id;
}

/** Tells whether a model's family answers in the responses dialect only. */
export const isResponsesOnly = (model: string): boolean =>
  RESPONSES_ONLY.some((family) => familyName(model).startsWith(family));
