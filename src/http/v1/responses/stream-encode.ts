import { contentText, type SessionEvent, type TextEvent } from "../../../core/index.ts";
import { encodeSse } from "../../server/encode-sse.ts";
import { type ByType, callByType } from "../../../shared/union/by-type.ts";
import { forTypes, QUIET_EVENTS } from "../../turns/event-encoders.ts";
import type { TurnEncoder } from "../../turns/stream-turn.ts";
import { TurnAnswerFold } from "../../turns/turn-answer.ts";
import { encodeResponse, shownText } from "./encode.ts";
import {
  messageId,
  messageItem,
  reasoningId,
  reasoningItem,
  reasoningPart,
  type ReasoningForm,
  outputTextPart,
} from "./items.ts";
import type { SequenceNumbers } from "./sequence-numbers.ts";
import type { StoredResponse } from "./response-store.ts";
import { type ToolFrames, toolFrames } from "./stream-tools.ts";

/** A piece of reasoning that is not complete yet. */
interface OpenReasoning {
  readonly id: string;
  readonly at: number;
  text: string;
}

/** The encoder of a streamed response. */
export class ResponseStreamEncoder implements TurnEncoder {
  static readonly #encoders: ByType<SessionEvent, ResponseStreamEncoder, string> = {
    ...forTypes([...QUIET_EVENTS, "turn.end", "prompt.dropped"], () => ""),
    "turn.start": (_event, self) =>
      self.#response.background === true
        ? self.#send("response.in_progress", { response: encodeResponse(self.#response, self.#fold.answer) })
        : "",
    "message.delta": (event, self) => self.#closeReasoning() + self.#text(event),
    "reasoning.delta": (event, self) => self.#reason(event),
    "reply.complete": (_event, self) => self.#closeReasoning(),
    "tool.start": ({ callId: id, name, input }, self) => self.#tools?.start({ id, name, input }) ?? "",
    "tool.complete": ({ callId, outcome, content }, self) =>
      self.#tools?.complete(callId, { outcome, output: contentText(content) }) ?? "",
  };

  readonly #response: StoredResponse;
  readonly #numbers: SequenceNumbers;
  readonly #fold = new TurnAnswerFold();
  #items = 0;
  /** The message's place, once it has begun. */
  #messageAt: number | undefined;
  #thoughts = 0;
  #thought: OpenReasoning | undefined;
  /** Absent in an answer that is given once more. */
  readonly #tools: ToolFrames | undefined;

  constructor(response: StoredResponse, numbers: SequenceNumbers) {
    const { id, toolItems = "function_call", repeats } = response;
    this.#response = response;
    this.#numbers = numbers;
    this.#tools =
      repeats === true
        ? undefined
        : toolFrames(toolItems, {
            response: id,
            send: (type, fields) => this.#send(type, fields),
            place: () => this.#place(),
          });
  }

  begin(): string {
    const response = encodeResponse(this.#response, this.#fold.answer);
    const { background } = this.#response;
    return (
      this.#send("response.created", { response }) +
      this.#send(background === true ? "response.queued" : "response.in_progress", { response })
    );
  }

  event(event: SessionEvent): string {
    this.#fold.add(event);
    this.#numbers.at(event);
    return callByType(ResponseStreamEncoder.#encoders, event, this);
  }

  /** Closes the items that are open, and tells the whole response. */
  end(): string {
    const { answer } = this.#fold;
    const shown = shownText(answer);
    const closed = this.#closeReasoning() + (this.#tools?.close() ?? "");
    const late = this.#messageAt === undefined ? this.#openMessage() + this.#delta(shown) : "";
    const response = encodeResponse(this.#response, answer);
    const whole = response.status === "completed" || response.status === "failed";
    return (
      closed +
      late +
      this.#closeMessage(shown, !whole) +
      this.#send(`response.${whole ? response.status : "incomplete"}`, { response })
    );
  }

  failed(): string {
    const message = "The response could not be read to its end.";
    const response = encodeResponse(this.#response, this.#fold.answer);
    const error = { code: "server_error", message, type: "server_error" };
    return this.#send("response.failed", { response: { ...response, status: "failed", error } });
  }

  #text(event: TextEvent): string {
    const opened = this.#messageAt === undefined ? this.#openMessage() : "";
    const rest = this.#numbers.text(event);
    if (rest === undefined) return opened;
    const fields = { ...this.#textPlace(), delta: rest.text, logprobs: [] };
    return opened + frame("response.output_text.delta", rest.n, fields);
  }

  #delta(delta: string): string {
    return this.#send("response.output_text.delta", { ...this.#textPlace(), delta, logprobs: [] });
  }

  #openMessage(): string {
    const item = messageItem(this.#response.id, "in_progress");
    this.#messageAt = this.#place();
    return (
      this.#send("response.output_item.added", { output_index: this.#messageAt, item }) +
      this.#send("response.content_part.added", { ...this.#textPlace(), part: outputTextPart("") })
    );
  }

  #closeMessage(text: string, cut: boolean): string {
    const item = messageItem(this.#response.id, cut ? "incomplete" : "completed", text);
    return (
      this.#send("response.output_text.done", { ...this.#textPlace(), text, logprobs: [] }) +
      this.#send("response.content_part.done", { ...this.#textPlace(), part: outputTextPart(text) }) +
      this.#send("response.output_item.done", { output_index: this.#messageAt, item })
    );
  }

  #textPlace() {
    return { item_id: messageId(this.#response.id), output_index: this.#messageAt, content_index: 0 };
  }

  #reason(event: TextEvent): string {
    const { id, reasoning: form, repeats } = this.#response;
    if (form === undefined || repeats === true) return "";
    let opened = "";
    if (this.#thought === undefined) {
      this.#thought = { id: reasoningId(id, this.#thoughts), at: this.#place(), text: "" };
      this.#thoughts += 1;
      const item = reasoningItem(this.#thought.id, form, { status: "in_progress" });
      opened =
        this.#send("response.output_item.added", { output_index: this.#thought.at, item }) +
        this.#send(REASONING[form].added, {
          ...placeOf(this.#thought, form),
          part: reasoningPart(form, ""),
        });
    }
    this.#thought.text += event.text;
    const rest = this.#numbers.text(event);
    if (rest === undefined) return opened;
    const fields = { ...placeOf(this.#thought, form), delta: rest.text };
    return opened + frame(REASONING[form].delta, rest.n, fields);
  }

  #closeReasoning(): string {
    const { reasoning: form } = this.#response;
    const thought = this.#thought;
    if (form === undefined || thought === undefined) return "";
    this.#thought = undefined;
    const { id, at, text } = thought;
    const place = placeOf(thought, form);
    const item = reasoningItem(id, form, { status: "completed", text });
    return (
      this.#send(REASONING[form].done, { ...place, text }) +
      this.#send(REASONING[form].partDone, { ...place, part: reasoningPart(form, text) }) +
      this.#send("response.output_item.done", { output_index: at, item })
    );
  }

  #place(): number {
    this.#items += 1;
    return this.#items - 1;
  }

  #send(type: string, fields: Readonly<Record<string, unknown>>): string {
    const n = this.#numbers.next();
    return n === undefined ? "" : frame(type, n, fields);
  }
}

const frame = (type: string, n: number, fields: Readonly<Record<string, unknown>>): string =>
  encodeSse({ event: type, data: JSON.stringify({ type, sequence_number: n, ...fields }) });

/** The events of the two forms of reasoning. */
const REASONING = {
  summary: {
    added: "response.reasoning_summary_part.added",
    delta: "response.reasoning_summary_text.delta",
    done: "response.reasoning_summary_text.done",
    partDone: "response.reasoning_summary_part.done",
  },
  text: {
    added: "response.content_part.added",
    delta: "response.reasoning_text.delta",
    done: "response.reasoning_text.done",
    partDone: "response.content_part.done",
  },
} as const;

const placeOf = ({ id, at }: OpenReasoning, form: ReasoningForm) => ({
  item_id: id,
  output_index: at,
  ...(form === "summary" ? { summary_index: 0 } : { content_index: 0 }),
});
