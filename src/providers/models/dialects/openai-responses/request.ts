import type { ResponseCreateParams } from "openai/resources/responses/responses";
import type { ToolSpec } from "../../../../core/index.ts";
import type { RequestParts } from "../dialect.ts";
import { effortFor, reasonsUsually } from "../../catalog/families.ts";

const TOOL_TEXTS = new WeakMap<ToolSpec, string>();

/**
 * The body of a responses request, as JSON text. Nothing is left with the endpoint (`store` is false): what it wants
 * to see again of its reasoning comes encrypted with the reply and goes back with the next request.
 *
 * @param parts.messages - the input items of each as JSON text
 */
export function responsesBody({ request, messages, settings, without }: RequestParts<string>): string {
  const { name, endpoint, stream, maxOutputTokens, fastTier } = settings;
  const limit = request.maxOutputTokens ?? maxOutputTokens;
  const reasons = reasonsUsually(name, settings.reasoning);
  const effort = without.has("thinking") ? undefined : effortFor(name, request.reasoning, settings.reasoning);
  const reasoning = {
    ...(effort === undefined ? {} : { effort: effort as Effort }),
    ...(reasons && !without.has("summary") ? { summary: "auto" as const } : {}),
  };
  const fields: Partial<ResponseCreateParams> = {
    model: name,
    ...(request.system === "" ? {} : { instructions: request.system }),
    ...(stream ? { stream: true } : {}),
    store: false,
    // The least that endpoints take.
    ...(limit === undefined ? {} : { max_output_tokens: Math.max(16, limit) }),
    ...(Object.keys(reasoning).length === 0 ? {} : { reasoning }),
    ...(reasons && !without.has("encrypted") ? { include: ["reasoning.encrypted_content" as const] } : {}),
    ...(request.fast === true && fastTier !== undefined ? { service_tier: fastTier as Tier } : {}),
    // Other endpoints refuse fields that they do not know.
    ...(endpoint.host === "api.openai.com" || endpoint.cloud ? { prompt_cache_key: request.cacheKey } : {}),
  };
  const tools = request.tools.length === 0 ? "" : `,"tools":[${request.tools.map(toolText).join(",")}]`;
  return `${JSON.stringify(fields).slice(0, -1)}${tools},"input":[${messages.join(",")}]}`;
}

/** Endpoints other than the vendor's have words of their own. */
type Tier = NonNullable<ResponseCreateParams["service_tier"]>;

/** `effortFor` gives words that the model takes. */
type Effort = NonNullable<NonNullable<ResponseCreateParams["reasoning"]>["effort"]>;

function toolText(tool: ToolSpec): string {
  const known = TOOL_TEXTS.get(tool);
  if (known !== undefined) return known;
  const { name, description, parameters } = tool;
  // Strict schemas need every property to be required; the host checks arguments itself.
  const text = JSON.stringify({ type: "function", name, description, parameters, strict: false });
  TOOL_TEXTS.set(tool, text);
  return text;
}
