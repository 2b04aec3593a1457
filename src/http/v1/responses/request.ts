import { z } from "zod";
import { EFFORTS } from "../../../core/index.ts";
import { isJsonObject } from "../../../shared/json/json.ts";
import { decode, Switch } from "../../server/decode.ts";
import { badRequest } from "../../server/http-error.ts";
import { type RequestInput, readHistory, readInput } from "../../turns/request-input.ts";
import type { RequestMessage } from "../../turns/request-message.ts";
import type { GivenItems } from "./given-items.ts";

const text = z.string().nullish();

/** The body of `POST /v1/responses`. Fields that are not used here are accepted. */
export const ResponseRequest = z
  .looseObject({
    input: z.unknown().optional().meta({ description: "Text, or messages of which the last is the prompt." }),
    instructions: text,
    store: Switch(true),
    stream: Switch(false),
    background: Switch(false).meta({
      description:
        "Answer at once; the response goes on, to be polled, streamed again from any frame, or cancelled.",
    }),
    previous_response_id: text,
    conversation: z.union([z.string(), z.looseObject({ id: z.string() })]).nullish(),
    conversation_history: z.unknown().optional(),
    truncation: text,
    model: text,
    provider: text,
    model_options: z.looseObject({}).nullish(),
    reasoning: z
      .looseObject({ summary: text, generate_summary: text })
      .nullish()
      .meta({ description: "With `summary`, what the model thinks is told as reasoning items." }),
    metadata: z.record(z.string(), z.unknown()).nullish(),
    tools: z.array(z.unknown()).nullish(),
    tool_choice: z.unknown().optional(),
  })
  .meta({ title: "ResponseRequest" });

/** The body of a request for a response, checked. */
export type ResponseRequest = z.output<typeof ResponseRequest>;

/** A request for a response, decoded. */
export interface ResponseInput {
  readonly request: ResponseRequest;
  readonly input: RequestInput;
  readonly given: GivenItems;
  /** The conversation before, when the request brings it along. */
  readonly history: readonly RequestMessage[] | undefined;
  readonly previousId: string | undefined;
  readonly conversation: string | undefined;
}

const NOTHING_ASKED: RequestInput = { prompt: { parts: [], param: "input" }, before: [] };

/** Messages of a history that `truncation: "auto"` keeps. */
const KEPT_MESSAGES = 100;

/**
 * @param given - its `input`, as `readGivenItems` read it
 * @throws HttpError 400
 */
export function readResponseRequest(body: unknown, given: GivenItems): ResponseInput {
  const request = decode(ResponseRequest, body);
  if (request.background && !request.store)
    throw badRequest("'background' needs 'store': the response is read by its id.", "background");
  if (request.input === undefined || request.input === null)
    throw badRequest("Missing 'input' field", "input");
  const previousId = request.previous_response_id?.trim() || undefined;
  const conversation = conversationName(request.conversation);
  if (previousId !== undefined && conversation !== undefined)
    throw badRequest("Cannot use both 'conversation' and 'previous_response_id'", "conversation");
  const input = given.repeats === undefined ? readInput(given.input) : NOTHING_ASKED;
  const history = readHistory(request.conversation_history);
  const kept = request.truncation === "auto" ? history?.slice(-KEPT_MESSAGES) : history;
  return { request, input, given, history: kept, previousId, conversation };
}

/** Gives the fields of a request that its answer repeats: names that its sender gave, and options that were used. */
export function echoOf(request: ResponseInput["request"]): Readonly<Record<string, unknown>> {
  const { truncation, reasoning } = request;
  const names = ["user", "safety_identifier", "prompt_cache_key"].flatMap((name) => {
    const given = request[name];
    return typeof given === "string" ? [[name, given] as const] : [];
  });
  const effort = EFFORTS.find((known) => known === reasoning?.["effort"]);
  const summary = reasoning?.summary ?? reasoning?.generate_summary;
  const hasReasoning = effort !== undefined || typeof summary === "string";
  return {
    ...Object.fromEntries(names),
    ...(truncation === "auto" ? { truncation } : {}),
    ...(hasReasoning ? { reasoning: { effort: effort ?? null, summary: summary ?? null } } : {}),
  };
}

/** Gives the name of a conversation, which stands alone or in an object. */
export function conversationName(conversation: ResponseInput["request"]["conversation"]): string | undefined {
  const name = isJsonObject(conversation) ? conversation.id : (conversation ?? "");
  return name.trim() === "" ? undefined : name.trim();
}
