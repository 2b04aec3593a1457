import { HostError } from "../../../core/errors.ts";
import type { FinishReason } from "../../../core/events.ts";
import { isJsonObject } from "../../../core/json.ts";
import type { ModelPart } from "../../../core/model.ts";
import type { ReplyDecoder } from "../call.ts";
import { classifyErrorObject } from "../classify.ts";
import type { Speaker } from "../speaker.ts";
import { CallAssembler } from "./calls.ts";
import { type KeptItems, ReasoningBlocks, textOfDetails, toReplyItems } from "./reply-items.ts";
import { type ReportedUsage, readUsage } from "./usage.ts";

type Said = "text" | "reasoning";
type Reason = Exclude<FinishReason, "interrupted" | "error">;

/** Makes parts of a chat completion, streamed or whole. */
export class ChatReply implements ReplyDecoder {
  state: ReplyDecoder["state"] = "open";
  readonly #speaker: Speaker;
  readonly #calls: CallAssembler;
  readonly #blocks = new ReasoningBlocks();
  #parts: ModelPart[] = [];
  /** Text of one kind that is not a part yet: what arrived together becomes one. */
  readonly #pending: { kind: Said; text: string } = { kind: "text", text: "" };
  #usage: ReportedUsage | undefined;
  #finishReason = "";
  #reasoningField: string | undefined;
  #refused = false;
  #spoke = false;

  constructor(speaker: Speaker, options: { readonly newId: () => string }) {
    this.#speaker = speaker;
    this.#calls = new CallAssembler(options.newId);
  }

  event(name: string, data: string): void {
    if (data.startsWith("[DONE]")) {
      this.state = "done";
      return;
    }
    if (data.trim() === "") return;
    const value = this.#parse(name, data);
    if (name === "error")
      throw classifyErrorObject(isJsonObject(value) ? (value["error"] ?? value) : value, this.#speaker);
    this.#accept(value);
  }

  document(value: unknown): void {
    const completion: unknown = Array.isArray(value) ? value[0] : value;
    this.#accept(completion);
    const isCompletion =
      isJsonObject(completion) && Array.isArray(completion["choices"]) && completion["choices"].length > 0;
    if (!isCompletion)
      throw this.#failure(
        "provider_bad_request",
        "answered something that is no chat completion",
        "Is base_url a chat endpoint?",
      );
    this.state = "done";
  }

  take(): readonly ModelPart[] {
    this.#flush();
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  end(): readonly ModelPart[] {
    const isEmpty = !this.#spoke && this.#calls.count === 0;
    const isWhole = this.#finishReason !== "" || (this.state === "done" && !isEmpty);
    if (!isWhole) {
      const problem = isEmpty
        ? "ended its answer before it said anything"
        : "ended its answer in the middle of the reply";
      throw this.#failure("provider_network", problem, "Try again.");
    }
    const items = toReplyItems(this.#kept(), this.#speaker.model);
    return [
      ...this.take(),
      ...this.#calls.end(),
      ...(this.#usage === undefined ? [] : [{ type: "usage", usage: this.#usage } as const]),
      { type: "finish", reason: this.#reason(), ...(items === undefined ? {} : { items }) },
    ];
  }

  #parse(name: string, data: string): unknown {
    try {
      return JSON.parse(data);
    } catch {
      if (name === "error") return { message: data };
      // Leaving the piece out would leave a hole in the text that nobody sees.
      throw this.#failure("provider_network", "sent a piece of its answer that is no JSON", "Try again.");
    }
  }

  #accept(chunk: unknown): void {
    if (!isJsonObject(chunk)) return;
    const { error, choices } = chunk;
    if (chunk["object"] === "error") throw classifyErrorObject(chunk, this.#speaker);
    if (error !== undefined && error !== null && error !== "")
      throw classifyErrorObject(error, this.#speaker);
    this.#usage = readUsage(chunk["usage"]) ?? this.#usage;
    if (!Array.isArray(choices)) return;
    const choice: unknown = choices.find((entry) => isJsonObject(entry) && (entry["index"] ?? 0) === 0);
    if (!isJsonObject(choice)) return;
    this.#delta(choice["delta"] ?? choice["message"]);
    const reason = choice["finish_reason"];
    if (typeof reason === "string" && reason !== "") this.#finish(reason);
  }

  #finish(reason: string): void {
    if (reason === "error")
      throw classifyErrorObject({ message: "The endpoint ended its reply with an error." }, this.#speaker);
    this.#finishReason = reason;
    if (this.state === "open") this.state = "finishing";
  }

  #delta(delta: unknown): void {
    if (!isJsonObject(delta)) return;
    const { content, refusal, tool_calls: calls } = delta;
    this.#reasoning(delta);
    if (typeof content === "string") this.#say("text", content);
    else if (Array.isArray(content)) for (const part of content) this.#contentPart(part);
    if (typeof refusal === "string" && refusal !== "") this.#refuse(refusal);
    if (Array.isArray(calls)) for (const piece of calls) this.#call(piece);
    const legacy = delta["function_call"];
    if (isJsonObject(legacy)) this.#call({ index: "function_call", function: legacy });
  }

  /** Three fields are in use; where several come at once they say the same. */
  #reasoning(delta: Record<string, unknown>): void {
    const details = delta["reasoning_details"];
    if (details !== undefined) this.#blocks.accept(details);
    for (const field of ["reasoning_content", "reasoning"]) {
      const text = delta[field];
      if (typeof text !== "string" || text === "") continue;
      this.#reasoningField ??= field;
      return this.#say("reasoning", text);
    }
    if (details !== undefined) this.#say("reasoning", textOfDetails(details));
  }

  #contentPart(part: unknown): void {
    if (!isJsonObject(part)) return;
    const { text, refusal, thinking } = part;
    if (typeof refusal === "string") this.#refuse(refusal);
    else if (Array.isArray(thinking)) this.#say("reasoning", textOfDetails(thinking));
    else if (typeof thinking === "string") this.#say("reasoning", thinking);
    else if (typeof text === "string") this.#say("text", text);
  }

  #refuse(text: string): void {
    this.#refused = true;
    this.#say("text", text);
  }

  #call(piece: unknown): void {
    this.#flush();
    this.#calls.accept(piece);
    for (const part of this.#calls.take()) this.#parts.push(part);
  }

  #say(kind: Said, text: string): void {
    if (text === "") return;
    this.#spoke = true;
    if (kind !== this.#pending.kind) this.#flush();
    this.#pending.kind = kind;
    this.#pending.text += text;
  }

  #flush(): void {
    const { kind, text } = this.#pending;
    if (text === "") return;
    this.#parts.push({ type: kind, text });
    this.#pending.text = "";
  }

  #reason(): Reason {
    if (this.#refused) return "refusal";
    switch (this.#finishReason) {
      case "length":
      case "max_tokens":
      case "model_length":
        return "length";
      case "content_filter":
      case "refusal":
      case "safety":
        return "refusal";
      default:
        // What was asked for counts more than the word for it: endpoints say `stop` beside calls.
        return this.#calls.count > 0 ? "tool_calls" : "stop";
    }
  }

  #kept(): KeptItems {
    const blocks = this.#blocks.opaque();
    const { extras } = this.#calls;
    return {
      ...(this.#reasoningField !== undefined && extras.length > 0
        ? { reasoningField: this.#reasoningField }
        : {}),
      ...(blocks === undefined ? {} : { reasoningDetails: blocks }),
      ...(extras.some((extra) => extra !== undefined)
        ? { callExtras: extras.map((extra) => extra ?? null) }
        : {}),
    };
  }

  #failure(code: "provider_network" | "provider_bad_request", problem: string, remedy: string): HostError {
    return new HostError(code, `${this.#speaker.model} at ${this.#speaker.host} ${problem}. ${remedy}`);
  }
}
