import { defined } from "../../../shared/json/defined.ts";
import { NO_USAGE, type ToolCall, type Usage } from "../../../core/index.ts";
import type { TurnAnswer, TurnAnswerItem } from "../../turns/turn-answer.ts";
import {
  callItem,
  type Item,
  type McpCallState,
  mcpCallItem,
  messageItem,
  reasoningId,
  reasoningItem,
  resultItem,
  shownCallId,
} from "./items.ts";
import type { StoredResponse } from "./response-store.ts";

type Status = "queued" | "in_progress" | "completed" | "failed" | "cancelled" | "incomplete";

function statusOf({ background }: StoredResponse, { turnId, outcome, finish }: TurnAnswer): Status {
  if (outcome === undefined) return background === true && turnId === undefined ? "queued" : "in_progress";
  switch (outcome) {
    case "completed":
      return finish === "length" ? "incomplete" : "completed";
    case "failed":
      return "failed";
    case "cancelled":
      return background === true ? "cancelled" : "incomplete";
    case "interrupted":
      return "incomplete";
  }
}

/** Gives the text of the message; there always is a message. */
export function shownText(answer: TurnAnswer): string {
  if (answer.text !== "") return answer.text;
  return answer.outcome === "completed" ? "(No response generated)" : (answer.error?.message ?? "");
}

/** The output of an answer; text stands where it began in a stream, else last. */
function outputOf(response: StoredResponse, answer: TurnAnswer, status: Status): readonly Item[] {
  const { id, streamed } = response;
  const shown = shownItems(response, answer);
  if (answer.outcome === undefined && shown.length === 0) return [];
  const cut = status === "incomplete" || status === "cancelled";
  const message = messageItem(id, cut ? "incomplete" : "completed", shownText(answer));
  const first = streamed && shown.some(({ type }) => type === "text");
  let thought = 0;
  const items = shown.flatMap((item): readonly Item[] => {
    switch (item.type) {
      case "text":
        return first ? [message] : [];
      case "call":
        return [encodeCall(response, item.call, answer)];
      case "result":
        return response.toolItems === "mcp_call"
          ? []
          : [resultItem(id, item.callId, { shownAs: shownCallId(id, item.callId), output: item.output })];
      case "reasoning": {
        const form = response.reasoning ?? "summary";
        const { text } = item;
        return [reasoningItem(reasoningId(id, thought++), form, { status: "completed", text })];
      }
    }
  });
  return first ? items : [...items, message];
}

/** An answer that is given once more is its text: a call that was shown before is not shown again. */
function shownItems(
  { reasoning, repeats }: StoredResponse,
  { items }: TurnAnswer,
): readonly TurnAnswerItem[] {
  if (repeats === true) return items.filter(({ type }) => type === "text");
  return reasoning === undefined ? items.filter(({ type }) => type !== "reasoning") : items;
}

function encodeCall({ id, toolItems }: StoredResponse, call: ToolCall, answer: TurnAnswer): Item {
  if (toolItems !== "mcp_call")
    return callItem(id, call, { callId: shownCallId(id, call.id), status: "completed" });
  return mcpCallItem(id, call, callState(call, answer));
}

function callState({ id }: ToolCall, { items, outcome }: TurnAnswer): McpCallState {
  const result = items.find((item) => item.type === "result" && item.callId === id);
  if (result?.type === "result") return result;
  return outcome === undefined ? "running" : "incomplete";
}

const encodeUsage = ({ input, output, cacheRead, reasoning }: Usage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cacheRead },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

/** A response as it stands. */
export function encodeResponse(response: StoredResponse, answer: TurnAnswer) {
  const status = statusOf(response, answer);
  const { outcome, error, endedAt } = answer;
  const over = outcome !== undefined;
  return {
    id: response.id,
    object: "response",
    created_at: response.created,
    completed_at: status === "completed" && endedAt !== undefined ? Math.floor(endedAt / 1000) : null,
    status,
    background: response.background ?? false,
    model: response.model,
    output: outputOf(response, answer, status),
    usage: over ? encodeUsage(response.repeats === true ? NO_USAGE : answer.usage) : null,
    error:
      status === "failed"
        ? { code: "server_error", message: error?.message ?? "The turn failed.", type: "server_error" }
        : null,
    incomplete_details:
      status === "incomplete" ? { reason: outcome === "completed" ? "max_output_tokens" : outcome } : null,
    instructions: response.instructions ?? null,
    metadata: response.metadata ?? {},
    previous_response_id: response.previousId ?? null,
    ...defined({ conversation: response.conversation && { id: response.conversation } }),
    store: response.stored,
    ...UNUSED,
    ...response.said,
  };
}

/** Fields that every response has and no request changes here: clients that check the form need them. */
const UNUSED = {
  frequency_penalty: 0,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  presence_penalty: 0,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: "default",
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  user: null,
} as const;
