import {
  addUsage,
  type ErrorRecord,
  type FinishReason,
  NO_USAGE,
  type SessionEvent,
  type ToolCall,
  type ToolOutcome,
  type TurnOutcome,
  type Usage,
} from "../../core/index.ts";

/** What a turn did, in order. */
export type AnswerItem =
  | { readonly type: "text" }
  | { readonly type: "call"; readonly call: ToolCall }
  | {
      readonly type: "result";
      readonly callId: string;
      readonly output: string;
      readonly outcome: ToolOutcome;
    };

/** A turn as far as it got; a fold of its events. */
export interface Answer {
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
  /** Text comes once, where it began. */
  readonly items: readonly AnswerItem[];
  readonly model?: string;
  readonly provider?: string;
  /** Some tool may have changed something. */
  readonly effects: boolean;
  /** The cursor of the newest event. */
  readonly seq: number;
}

/** Kinds of tools that change something, or might. */
const CHANGING = new Set(["edit", "delete", "move", "execute", "other"]);

/** Folds the events of one turn into its answer. */
export class AnswerFold {
  #answer: Answer = { text: "", reasoning: "", usage: NO_USAGE, items: [], effects: false, seq: 0 };
  readonly #changing = new Set<string>();

  get answer(): Answer {
    return this.#answer;
  }

  add(event: SessionEvent): void {
    this.#answer = { ...this.#answer, ...this.#change(event), seq: event.seq };
  }

  #change(event: SessionEvent): Partial<Answer> {
    switch (event.type) {
      case "turn.start":
        return { turnId: event.turnId, startedAt: event.at };
      case "message.delta":
        return { text: this.#answer.text + event.text, items: this.#withText() };
      case "reasoning.delta":
        return { reasoning: this.#answer.reasoning + event.text };
      case "reply.complete":
        return this.#reply(event);
      case "tool.start": {
        const { callId: id, name, input, kind, asks } = event;
        if (CHANGING.has(kind)) this.#changing.add(id);
        const effects = this.#answer.effects || (CHANGING.has(kind) && asks !== true);
        return { effects, items: [...this.#answer.items, { type: "call", call: { id, name, input } }] };
      }
      case "tool.complete": {
        const { callId, outcome, content } = event;
        const output = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
        const ran = this.#changing.has(callId) && outcome !== "denied";
        const effects = this.#answer.effects || ran;
        return { effects, items: [...this.#answer.items, { type: "result", callId, output, outcome }] };
      }
      case "turn.end": {
        const { outcome, usage, finish, error } = event;
        return {
          outcome,
          usage,
          endedAt: event.at,
          ...(finish === undefined ? {} : { finish }),
          ...(error === undefined ? {} : { error }),
        };
      }
      case "prompt.dropped":
        return { outcome: "cancelled", endedAt: event.at };
      default:
        return {};
    }
  }

  #reply({
    model,
    provider,
    usage,
    finish,
  }: Extract<SessionEvent, { type: "reply.complete" }>): Partial<Answer> {
    const sum = addUsage(this.#answer.usage, usage);
    return model === "" ? { usage: sum } : { usage: sum, model, provider, finish };
  }

  #withText(): readonly AnswerItem[] {
    const { items } = this.#answer;
    return items.some(({ type }) => type === "text") ? items : [...items, { type: "text" }];
  }
}

export function foldAnswer(events: Iterable<SessionEvent>): Answer {
  const fold = new AnswerFold();
  for (const event of events) fold.add(event);
  return fold.answer;
}
