import { isJsonObject } from "../../shared/json/json.ts";
import { badRequest } from "../server/http-error.ts";

/**
 * Tools run on this server; those of a client do not. A client that insists is told so, another is warned.
 *
 * @throws HttpError 400 when `tool_choice` forces a call
 */
export function clientToolsWarning(body: Readonly<Record<string, unknown>>): string | undefined {
  const tools = body["tools"] ?? body["functions"];
  const choice = body["tool_choice"] ?? body["function_call"];
  const forced = choice === "required" || choice === "any" || isJsonObject(choice);
  const some = Array.isArray(tools) && tools.length > 0;
  if (forced && some)
    throw badRequest(
      "Tools of a client cannot be called here: the agent runs its own tools on the server. Leave tool_choice out, or put it to auto.",
      body["tool_choice"] === undefined ? "function_call" : "tool_choice",
      "unsupported_parameter",
    );
  return some ? "the tools of the request were not given to the model; the agent runs its own" : undefined;
}

/** Options that end an answer early; the agent's answers end when it is done. */
const LIMITS = ["stop", "max_tokens", "max_completion_tokens", "max_output_tokens"];

/** Names the options of a request that are not honoured here, though they would change the answer. */
export function ignoredWarning(body: Readonly<Record<string, unknown>>): string | undefined {
  const { n, response_format: chatFormat, text, logprobs } = body;
  const textFormat = isJsonObject(text) ? text["format"] : undefined;
  const isOther = (format: unknown): boolean => isJsonObject(format) && format["type"] !== "text";
  const ignored = [
    ...(typeof n === "number" && n > 1 ? ["n"] : []),
    ...(isOther(chatFormat) ? ["response_format"] : []),
    ...(isOther(textFormat) ? ["text.format"] : []),
    ...(logprobs === true ? ["logprobs"] : []),
    ...LIMITS.filter((name) => body[name] !== undefined && body[name] !== null),
  ];
  return ignored.length === 0 ? undefined : `not honoured: ${ignored.join(", ")}`;
}

/** Warnings as a header; empty when there are none. */
export function warningHeader(warnings: readonly (string | undefined)[]): Readonly<Record<string, string>> {
  const given = warnings.filter((warning) => warning !== undefined);
  // Text of the client must not end the header.
  return given.length === 0 ? {} : { "x-agent-warning": given.join("; ").replaceAll(/[^\x20-\x7e]/g, "?") };
}
