import {
  contentText,
  type FinishReason,
  NO_USAGE,
  type SessionEvent,
  type ToolCall,
  type ToolOutcome,
  type TurnOutcome,
  type Usage,
  addUsage,
} from "../../core/index.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";

/** What a turn did, in order. */
export type TurnAnswerItem =
  | { readonly type: "text" }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "call"; readonly call: ToolCall }
  | {
      readonly type: "result";
      readonly callId: string;
      readonly output: string;
      readonly outcome: ToolOutcome;
    };

/** A turn as far as it got; a fold of its events. */
export interface TurnAnswer {
  readonly turnId?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Absent while it goes on. */
  readonly outcome?: TurnOutcome;
  readonly finish?: FinishReason;
  readonly error?: ErrorRecord;
  /** All text of its replies, joined. */
  readonly text: string;
  readonly reasoning: string;
  readonly usage: Usage;
  /** Text comes once, where it began; reasoning in its own pieces. */
  readonly items: readonly TurnAnswerItem[];
  readonly model?: string;
  readonly provider?: string;
  /** Some tool may have changed something. */
  readonly effects: boolean;
  /** The cursor of the newest event. */
  readonly seq: number;
}

/** Kinds of tools that change something, or might. */
const CHANGING = new Set(["edit", "delete", "move", "execute", "other"]);

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Folds the events of one turn into its answer. */
export class TurnAnswerFold {
  /** Changed in place: a stream folds every word that it sends. */
  readonly #answer: Writable<Omit<TurnAnswer, "items">> = {
    text: "",
    reasoning: "",
    usage: NO_USAGE,
    effects: false,
    seq: 0,
  };
  readonly #items: TurnAnswerItem[] = [];
  #hasText = false;
  /** Where the reasoning began that goes on. */
  #reasoningFrom: number | undefined;
  readonly #changing = new Set<string>();

  /** The answer as it stands. */
  get answer(): TurnAnswer {
    return { ...this.#answer, items: [...this.#items, ...this.#openReasoning()] };
  }

  add(event: SessionEvent): void {
    const answer = this.#answer;
    answer.seq = event.seq;
    switch (event.type) {
      case "turn.start":
        answer.turnId = event.turnId;
        answer.startedAt = event.at;
        return;
      case "message.delta":
        this.#closeReasoning();
        answer.text += event.text;
        if (!this.#hasText) this.#items.push({ type: "text" });
        this.#hasText = true;
        return;
      case "reasoning.delta":
        this.#reasoningFrom ??= answer.reasoning.length;
        answer.reasoning += event.text;
        return;
      case "reply.complete":
        this.#closeReasoning();
        this.#reply(event);
        return;
      case "tool.start":
        this.#call(event);
        return;
      case "tool.complete":
        this.#result(event);
        return;
      case "turn.end":
        this.#closeReasoning();
        this.#end(event);
        return;
      case "prompt.dropped":
        answer.outcome = "cancelled";
        answer.endedAt = event.at;
        return;
      default:
    }
  }

  #reply({ model, provider, usage, finish }: Event<"reply.complete">): void {
    const answer = this.#answer;
    answer.usage = addUsage(answer.usage, usage);
    if (model === "") return;
    answer.model = model;
    answer.provider = provider;
    answer.finish = finish;
  }

  #call({ callId: id, name, input, kind, asks }: Event<"tool.start">): void {
    if (CHANGING.has(kind)) this.#changing.add(id);
    this.#answer.effects ||= CHANGING.has(kind) && asks !== true;
    this.#items.push({ type: "call", call: { id, name, input } });
  }

  #result({ callId, outcome, content }: Event<"tool.complete">): void {
    const output = contentText(content);
    this.#answer.effects ||= this.#changing.has(callId) && outcome !== "denied";
    this.#items.push({ type: "result", callId, output, outcome });
  }

  #end({ outcome, usage, finish, error, at }: Event<"turn.end">): void {
    const answer = this.#answer;
    answer.outcome = outcome;
    answer.usage = usage;
    answer.endedAt = at;
    if (finish !== undefined) answer.finish = finish;
    if (error !== undefined) answer.error = error;
  }

  #closeReasoning(): void {
    this.#items.push(...this.#openReasoning());
    this.#reasoningFrom = undefined;
  }

  #openReasoning(): readonly TurnAnswerItem[] {
    const from = this.#reasoningFrom;
    return from === undefined ? [] : [{ type: "reasoning", text: this.#answer.reasoning.slice(from) }];
  }
}

type Event<Type extends SessionEvent["type"]> = Extract<SessionEvent, { type: Type }>;

export function foldTurnAnswer(events: Iterable<SessionEvent>): TurnAnswer {
  const fold = new TurnAnswerFold();
  for (const event of events) fold.add(event);
  return fold.answer;
}
