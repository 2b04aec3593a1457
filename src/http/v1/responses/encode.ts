import { createHash } from "node:crypto";
import type { SessionEvent, ToolCall, Usage } from "../../../core/index.ts";
import { frameText } from "../../kit/sse.ts";
import { type Answer, AnswerFold, type AnswerItem } from "../../turns/answer.ts";
import type { StoredResponse } from "./stored.ts";

type Item = Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string };

/** Ids of items follow from their response: whoever reads it again gets the same. */
const itemId = (prefix: string, response: string, name: string): string =>
  `${prefix}_${createHash("sha256").update(`${response}:${name}`).digest("hex").slice(0, 24)}`;

const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] });

function messageItem(
  response: string,
  status: "in_progress" | "completed" | "incomplete",
  text?: string,
): Item {
  const content = text === undefined ? [] : [textPart(text)];
  return { id: itemId("msg", response, "message"), type: "message", status, role: "assistant", content };
}

function callItem(
  response: string,
  { id, name, input }: ToolCall,
  status: "in_progress" | "completed",
): Item {
  const written = JSON.stringify(input);
  return {
    id: itemId("fc", response, id),
    type: "function_call",
    status,
    call_id: id,
    name,
    arguments: written,
  };
}

const resultItem = (response: string, callId: string, output: string): Item => ({
  id: itemId("fco", response, callId),
  type: "function_call_output",
  status: "completed",
  call_id: callId,
  output,
});

type Status = "in_progress" | "completed" | "failed" | "incomplete";

function statusOf({ outcome, finish }: Answer): Status {
  if (outcome === undefined) return "in_progress";
  switch (outcome) {
    case "completed":
      return finish === "length" ? "incomplete" : "completed";
    case "failed":
      return "failed";
    case "cancelled":
    case "interrupted":
      return "incomplete";
  }
}

/** What the message says: there is always one. */
function shownText(answer: Answer): string {
  if (answer.text !== "") return answer.text;
  return answer.outcome === "completed" ? "(No response generated)" : (answer.error?.message ?? "");
}

/** The output of an answer; text stands where it began in a stream, else last. */
function outputOf(response: StoredResponse, answer: Answer): readonly Item[] {
  const { id, streamed } = response;
  if (answer.outcome === undefined && answer.items.length === 0) return [];
  const status = statusOf(answer) === "incomplete" ? "incomplete" : "completed";
  const message = messageItem(id, status, shownText(answer));
  const first = streamed && answer.items.some(({ type }) => type === "text");
  const items = answer.items.flatMap((item) => encodeItem(id, item, first ? message : undefined));
  return first ? items : [...items, message];
}

function encodeItem(response: string, item: AnswerItem, message: Item | undefined): readonly Item[] {
  switch (item.type) {
    case "text":
      return message === undefined ? [] : [message];
    case "call":
      return [callItem(response, item.call, "completed")];
    case "result":
      return [resultItem(response, item.callId, item.output)];
  }
}

const encodeUsage = ({ input, output, cacheRead, reasoning }: Usage) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cacheRead },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

/** A response as it stands. */
export function encodeResponse(response: StoredResponse, answer: Answer) {
  const status = statusOf(answer);
  const { outcome, error } = answer;
  const over = outcome !== undefined;
  return {
    id: response.id,
    object: "response",
    created_at: response.created,
    status,
    model: response.model,
    output: outputOf(response, answer),
    ...(over ? { usage: encodeUsage(answer.usage) } : {}),
    error:
      status === "failed"
        ? { code: "server_error", message: error?.message ?? "The turn failed.", type: "server_error" }
        : null,
    incomplete_details:
      status === "incomplete" ? { reason: outcome === "completed" ? "max_output_tokens" : outcome } : null,
    instructions: response.instructions ?? null,
    metadata: response.metadata ?? {},
    previous_response_id: response.previousId ?? null,
    ...(response.conversation === undefined ? {} : { conversation: { id: response.conversation } }),
    store: response.stored,
    parallel_tool_calls: true,
    temperature: null,
    top_p: null,
    text: { format: { type: "text" } },
    tool_choice: "auto",
    tools: [],
    truncation: "disabled",
  };
}

/** Makes the frames of a streamed response of the events of its turn. */
export class ResponseEncoder {
  readonly #response: StoredResponse;
  readonly #fold = new AnswerFold();
  #frame = 0;
  /** Items so far. */
  #items = 0;
  /** The message's place, once it has begun. */
  #messageAt: number | undefined;
  readonly #calls = new Set<string>();

  constructor(response: StoredResponse) {
    this.#response = response;
  }

  begin(): string {
    const response = encodeResponse(this.#response, this.#fold.answer);
    return this.#send("response.created", { response }) + this.#send("response.in_progress", { response });
  }

  event(event: SessionEvent): string {
    this.#fold.add(event);
    const { id } = this.#response;
    switch (event.type) {
      case "message.delta":
        return this.#text(event.text);
      case "tool.start": {
        this.#calls.add(event.callId);
        const call = { id: event.callId, name: event.name, input: event.input };
        return this.#item(callItem(id, call, "in_progress"), callItem(id, call, "completed"));
      }
      case "tool.complete": {
        if (!this.#calls.delete(event.callId)) return "";
        const output = event.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
        const item = resultItem(id, event.callId, output);
        return this.#item(item, item);
      }
      default:
        return "";
    }
  }

  /** The last frames: the message is closed, and the whole response told. */
  end(): string {
    const { answer } = this.#fold;
    const shown = shownText(answer);
    const late = this.#messageAt === undefined ? this.#text(shown) : "";
    const response = encodeResponse(this.#response, answer);
    const end = response.status === "in_progress" ? "incomplete" : response.status;
    return (
      late + this.#closeMessage(shown, end === "incomplete") + this.#send(`response.${end}`, { response })
    );
  }

  /** The last frame of a response that cannot be read any more. */
  failed(message: string): string {
    const response = encodeResponse(this.#response, this.#fold.answer);
    const error = { code: "server_error", message, type: "server_error" };
    return this.#send("response.failed", { response: { ...response, status: "failed", error } });
  }

  #text(delta: string): string {
    const opened = this.#messageAt === undefined ? this.#openMessage() : "";
    return opened + this.#send("response.output_text.delta", { ...this.#place(), delta, logprobs: [] });
  }

  #openMessage(): string {
    const item = messageItem(this.#response.id, "in_progress");
    this.#messageAt = this.#items;
    this.#items += 1;
    return (
      this.#send("response.output_item.added", { output_index: this.#messageAt, item }) +
      this.#send("response.content_part.added", { ...this.#place(), part: textPart("") })
    );
  }

  #closeMessage(text: string, cut: boolean): string {
    const item = messageItem(this.#response.id, cut ? "incomplete" : "completed", text);
    return (
      this.#send("response.output_text.done", { ...this.#place(), text, logprobs: [] }) +
      this.#send("response.content_part.done", { ...this.#place(), part: textPart(text) }) +
      this.#send("response.output_item.done", { output_index: this.#messageAt, item })
    );
  }

  #place() {
    const id = itemId("msg", this.#response.id, "message");
    return { item_id: id, output_index: this.#messageAt, content_index: 0 };
  }

  #item(begun: Item, done: Item): string {
    const index = this.#items;
    this.#items += 1;
    return (
      this.#send("response.output_item.added", { output_index: index, item: begun }) +
      this.#send("response.output_item.done", { output_index: index, item: done })
    );
  }

  #send(type: string, fields: Readonly<Record<string, unknown>>): string {
    const data = JSON.stringify({ type, sequence_number: this.#frame, ...fields });
    this.#frame += 1;
    return frameText({ event: type, data });
  }
}
