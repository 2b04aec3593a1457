import { toolEncoder } from "../../request/tool-text.ts";
import type { RequestParts } from "../dialect.ts";
import { effortFor, outputLimitKey } from "../../catalog/families.ts";

/**
 * The body of a chat request, as JSON text: what is the same in every request of a session is not made anew.
 *
 * @param parts.messages - each as JSON text
 */
export function chatBody({ request, messages, settings }: RequestParts<string>): string {
  const { name, endpoint, stream, fastTier } = settings;
  const system = request.system === "" ? [] : [JSON.stringify({ role: "system", content: request.system })];
  const limit = request.maxOutputTokens ?? settings.maxOutputTokens;
  const effort = effortFor(name, request.reasoning, settings.reasoning);
  const fields: string[] = [
    `"model":${JSON.stringify(name)}`,
    `"messages":[${[...system, ...messages].join(",")}]`,
    ...(request.tools.length === 0 ? [] : [`"tools":[${request.tools.map(toolText).join(",")}]`]),
    ...(stream ? [`"stream":true,"stream_options":{"include_usage":true}`] : []),
    ...(limit === undefined ? [] : [`"${outputLimitKey(name)}":${limit}`]),
    ...(effort === undefined ? [] : [`"reasoning_effort":${JSON.stringify(effort)}`]),
    ...(request.fast === true && fastTier !== undefined
      ? [`"service_tier":${JSON.stringify(fastTier)}`]
      : []),
    // Other endpoints refuse fields that they do not know.
    ...(endpoint.host === "api.openai.com" ? [`"prompt_cache_key":${JSON.stringify(request.cacheKey)}`] : []),
  ];
  return `{${fields.join(",")}}`;
}

const toolText = toolEncoder(({ name, description, parameters }) => ({
  type: "function",
  function: { name, description, parameters },
}));
