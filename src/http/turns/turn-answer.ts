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
import { defined } from "../../shared/json/defined.ts";
import { type ByType, callByType } from "../../shared/union/by-type.ts";
import { type EventOf, QUIET_EVENTS, forTypes } from "./event-encoders.ts";

/** One thing that a turn did. */
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

/** The answer of a turn as far as it got; a fold of its events. */
export interface TurnAnswer {
  readonly turnId?: string;
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Absent while the turn goes on. */
  readonly outcome?: TurnOutcome;
  readonly finish?: FinishReason;
  readonly error?: ErrorRecord;
  /** All text of its replies, joined. */
  readonly text: string;
  readonly reasoning: string;
  readonly usage: Usage;
  /** In order. Text comes once, where it began; reasoning in its own pieces. */
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

/** A fold of the events of one turn into its answer. */
export class TurnAnswerFold {
  static readonly #steps: ByType<SessionEvent, TurnAnswerFold, void> = {
    ...forTypes(QUIET_EVENTS, () => undefined),
    "turn.start": ({ turnId, at }, self) => self.#set({ turnId, startedAt: at }),
    "message.delta": ({ text }, self) => self.#text(text),
    "reasoning.delta": ({ text }, self) => {
      self.#reasoningFrom ??= self.#answer.reasoning.length;
      self.#answer.reasoning += text;
    },
    "reply.complete": (event, self) => self.#reply(event),
    "tool.start": (event, self) => self.#call(event),
    "tool.complete": (event, self) => self.#result(event),
    "turn.end": ({ outcome, usage, finish, error, at }, self) => {
      self.#closeReasoning();
      self.#set({ outcome, usage, endedAt: at, ...defined({ finish, error }) });
    },
    "prompt.dropped": ({ at }, self) => self.#set({ outcome: "cancelled", endedAt: at }),
  };

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
  /** The beginning of the reasoning that goes on. */
  #reasoningFrom: number | undefined;
  readonly #changing = new Set<string>();

  get answer(): TurnAnswer {
    return { ...this.#answer, items: [...this.#items, ...this.#openReasoning()] };
  }

  add(event: SessionEvent): void {
    this.#answer.seq = event.seq;
    callByType(TurnAnswerFold.#steps, event, this);
  }

  #set(part: Partial<Omit<TurnAnswer, "items">>): void {
    Object.assign(this.#answer, part);
  }

  #text(text: string): void {
    this.#closeReasoning();
    this.#answer.text += text;
    if (!this.#hasText) this.#items.push({ type: "text" });
    this.#hasText = true;
  }

  #reply({ model, provider, usage, finish }: EventOf<"reply.complete">): void {
    this.#closeReasoning();
    const answer = this.#answer;
    answer.usage = addUsage(answer.usage, usage);
    if (model !== "") this.#set({ model, provider, finish });
  }

  #call({ callId: id, name, input, kind, asks }: EventOf<"tool.start">): void {
    if (CHANGING.has(kind)) this.#changing.add(id);
    this.#answer.effects ||= CHANGING.has(kind) && asks !== true;
    this.#items.push({ type: "call", call: { id, name, input } });
  }

  #result({ callId, outcome, content }: EventOf<"tool.complete">): void {
    this.#answer.effects ||= this.#changing.has(callId) && outcome !== "denied";
    this.#items.push({ type: "result", callId, output: contentText(content), outcome });
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

/** Folds events of a turn into its answer. */
export function foldTurnAnswer(events: Iterable<SessionEvent>): TurnAnswer {
  const fold = new TurnAnswerFold();
  for (const event of events) fold.add(event);
  return fold.answer;
}

/** Encodes tokens in the words of the responses API. */
export const encodeTokens = ({ input, output }: Usage) => ({
  input_tokens: input,
  output_tokens: output,
  total_tokens: input + output,
});
