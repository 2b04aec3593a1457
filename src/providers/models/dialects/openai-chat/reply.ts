import type { ModelPart } from "../../../../core/index.ts";
import { defined } from "../../../../shared/json/defined.ts";
import { isJsonObject } from "../../../../shared/json/json.ts";
import { noReply, parseEvent } from "../../reply/reply-errors.ts";
import { DialectReply, type EndReason } from "../../reply/reply-decoder.ts";
import { classifyErrorObject } from "../../errors/provider-error.ts";
import { detailsIn, type ReportedUsage, reportedUsage, tokenCount } from "../../reply/reported-usage.ts";
import { CallAssembler } from "./calls.ts";
import { type KeptItems, ReasoningBlocks, textOfDetails, toReplyItems } from "./reply-items.ts";

/** Endpoints' words for ends that are not ordinary ones; any other word is an ordinary end. */
const FINISH_REASONS: ReadonlyMap<string, EndReason> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "refusal"],
  ["refusal", "refusal"],
  ["safety", "refusal"],
]);

/** Decoder of a chat completion, streamed or whole. */
export class ChatReply extends DialectReply {
  protected readonly calls = new CallAssembler(this.context.newId);
  readonly #blocks = new ReasoningBlocks();
  #usage: ReportedUsage | undefined;
  #finishReason = "";
  #reasoningField: string | undefined;
  #refused = false;

  event(name: string, data: string): void {
    if (data.startsWith("[DONE]")) {
      this.state = "done";
      return;
    }
    if (data.trim() === "") return;
    const value = parseEvent(name, data, this.context.identity);
    if (name === "error")
      throw classifyErrorObject(
        isJsonObject(value) ? (value["error"] ?? value) : value,
        this.context.identity,
      );
    this.#accept(value);
  }

  document(value: unknown): void {
    const completion: unknown = Array.isArray(value) ? value[0] : value;
    this.#accept(completion);
    const isCompletion =
      isJsonObject(completion) && Array.isArray(completion["choices"]) && completion["choices"].length > 0;
    if (!isCompletion) throw noReply(this.context.identity, "chat completion");
    this.state = "done";
  }

  end(): readonly ModelPart[] {
    const isWhole = this.#finishReason !== "" || (this.state === "done" && !this.isEmpty);
    if (!isWhole) throw this.brokenOff();
    const items = toReplyItems(this.#kept(), this.context.reader);
    return this.finish({ usage: this.#usage, reason: this.#reason(), items });
  }

  #accept(chunk: unknown): void {
    if (!isJsonObject(chunk)) return;
    const { error, choices } = chunk;
    if (chunk["object"] === "error") throw classifyErrorObject(chunk, this.context.identity);
    if (error !== undefined && error !== null && error !== "")
      throw classifyErrorObject(error, this.context.identity);
    this.#usage = usageIn(chunk["usage"]) ?? this.#usage;
    if (!Array.isArray(choices)) return;
    const choice: unknown = choices.find((entry) => isJsonObject(entry) && (entry["index"] ?? 0) === 0);
    if (!isJsonObject(choice)) return;
    this.#delta(choice["delta"] ?? choice["message"]);
    const reason = choice["finish_reason"];
    if (typeof reason === "string" && reason !== "") this.#finish(reason);
  }

  #finish(reason: string): void {
    if (reason === "error")
      throw classifyErrorObject(
        { message: "The endpoint ended its reply with an error." },
        this.context.identity,
      );
    this.#finishReason = reason;
    if (this.state === "open") this.state = "finishing";
  }

  #delta(delta: unknown): void {
    if (!isJsonObject(delta)) return;
    const { content, refusal, tool_calls: calls } = delta;
    this.#reasoning(delta);
    if (typeof content === "string") this.parts.say("text", content);
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
      return this.parts.say("reasoning", text);
    }
    if (details !== undefined) this.parts.say("reasoning", textOfDetails(details));
  }

  #contentPart(part: unknown): void {
    if (!isJsonObject(part)) return;
    const { text, refusal, thinking } = part;
    if (typeof refusal === "string") this.#refuse(refusal);
    else if (Array.isArray(thinking)) this.parts.say("reasoning", textOfDetails(thinking));
    else if (typeof thinking === "string") this.parts.say("reasoning", thinking);
    else if (typeof text === "string") this.parts.say("text", text);
  }

  #refuse(text: string): void {
    this.#refused = true;
    this.parts.say("text", text);
  }

  #call(piece: unknown): void {
    this.calls.accept(piece);
    this.parts.push(this.calls.take());
  }

  #reason(): EndReason {
    if (this.#refused) return "refusal";
    // Calls count more than the word for the end: endpoints say `stop` beside calls.
    return FINISH_REASONS.get(this.#finishReason) ?? (this.calls.count > 0 ? "tool_calls" : "stop");
  }

  #kept(): KeptItems {
    const blocks = this.#blocks.opaque();
    const { extras } = this.calls;
    const hasExtras = extras.some((extra) => extra !== undefined);
    return defined({
      reasoningField: extras.length > 0 ? this.#reasoningField : undefined,
      reasoningDetails: blocks,
      callExtras: hasExtras ? extras.map((extra) => extra ?? null) : undefined,
    });
  }
}

/** Reads usage as chat endpoints report it; `undefined` when its numbers cannot be true. */
function usageIn(value: unknown): ReportedUsage | undefined {
  if (!isJsonObject(value)) return undefined;
  const prompt = detailsIn(value["prompt_tokens_details"]);
  return reportedUsage({
    input: value["prompt_tokens"],
    output: value["completion_tokens"],
    cacheRead: tokenCount(prompt["cached_tokens"]) ?? value["prompt_cache_hit_tokens"],
    cacheWrite: prompt["cache_write_tokens"],
    reasoning: detailsIn(value["completion_tokens_details"])["reasoning_tokens"],
  });
}
