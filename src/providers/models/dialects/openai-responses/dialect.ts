import type { BodyFrame, Dialect, FrameParts } from "../dialect.ts";
import { chatDialect } from "../openai-chat/dialect.ts";
import { toInputItems } from "./input.ts";
import { ResponsesReply } from "./reply.ts";
import type { ResponseCreateParams } from "openai/resources/responses/responses";
import { defined } from "../../../../shared/json/defined.ts";
import { listItems } from "../../request/json-list.ts";
import { toolEncoder, toolsField } from "../../request/tool-text.ts";
import { effortFor, reasonsUsually } from "../../catalog/families.ts";

/** Responses. */
export const responsesDialect = {
  id: "responses_api",
  label: "Responses",
  providers: {},
  path: "/responses",
  modelList: { path: "/models" },
  hasServiceTiers: true,
  refusals: {
    items:
      /item.{0,80}'?rs_|encrypted.content.{0,60}(could not|cannot|invalid|verif|decrypt)|invalid_encrypted_content/i,
    summary: /reasoning.summar|reasoning summaries/i,
    encrypted: /encrypted content is not supported|reasoning\.encrypted_content|parameter.{0,20}\binclude\b/i,
    thinking: /reasoning\.effort|['"`]reasoning['"`]/i,
  },
  // Legacy addresses name a deployment, which stands in the body here.
  address: (endpoint) => ({ ...endpoint, baseUrl: endpoint.baseUrl.replace(/\/deployments\/[^/]+$/, "") }),
  keyHeaders: chatDialect.keyHeaders,
  headers: () => ({}),
  encode: (message, context, before) => listItems(toInputItems(message, context), before),
  frame: responsesFrame,
  reply: (context) => new ResponsesReply(context),
} as const satisfies Dialect;

/**
 * What a responses request says beside its messages, all of it before them. Nothing is left with the endpoint (`store` is
 * false): what it wants to see again of its reasoning comes encrypted with the reply and goes back with the next request.
 */
function responsesFrame({ request, settings, without }: FrameParts): BodyFrame {
  const { name, endpoint, stream, maxOutputTokens, fastTier } = settings;
  const limit = request.maxOutputTokens ?? maxOutputTokens;
  const reasons = reasonsUsually(name, settings.reasoning);
  const effort = without.has("thinking") ? undefined : effortFor(name, request.reasoning, settings.reasoning);
  const reasoning = defined({
    effort: effort as Effort | undefined,
    summary: reasons && !without.has("summary") ? ("auto" as const) : undefined,
  });
  const fields: Partial<ResponseCreateParams> = defined({
    model: name,
    instructions: request.system === "" ? undefined : request.system,
    stream: stream ? true : undefined,
    store: false,
    // The least that endpoints take.
    max_output_tokens: limit === undefined ? undefined : Math.max(16, limit),
    reasoning: Object.keys(reasoning).length === 0 ? undefined : reasoning,
    include: reasons && !without.has("encrypted") ? ["reasoning.encrypted_content" as const] : undefined,
    service_tier: request.fast === true ? (fastTier as Tier | undefined) : undefined,
    // Other endpoints refuse fields that they do not know.
    prompt_cache_key: endpoint.host === "api.openai.com" || endpoint.cloud ? request.cacheKey : undefined,
  });
  return {
    head: [JSON.stringify(fields).slice(0, -1), ...toolsField(request.tools.map(toolText)), `,"input":[`],
    tail: ["]}"],
  };
}

/** Endpoints other than the vendor's have words of their own. */
type Tier = NonNullable<ResponseCreateParams["service_tier"]>;

/** `effortFor` gives words that the model takes. */
type Effort = NonNullable<NonNullable<ResponseCreateParams["reasoning"]>["effort"]>;

// Strict schemas need every property to be required; the host checks arguments itself.
const toolText = toolEncoder(({ name, description, parameters }) => ({
  type: "function",
  name,
  description,
  parameters,
  strict: false,
}));
