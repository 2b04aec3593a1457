import type { ConversationViewWire, MessageWire, QuestionWire } from "./ask.ts";

/** A tool call while it runs, and after. */
interface Step {
  readonly id: string;
  readonly label: string;
  readonly outcome?: string;
}

/** A conversation as its page shows it: what is over, and the answer that is being written. */
export interface Conversation {
  readonly title: string;
  /** It is shown as far as it can be read, and takes nothing more. */
  readonly damaged: boolean;
  readonly messages: readonly MessageWire[];
  readonly questions: readonly QuestionWire[];
  readonly queued: readonly MessageWire[];
  /** There is more before it. */
  readonly before?: number;
  /** The cursor of the newest event that is in it. */
  readonly seq: number;
  /** The turn that runs: its text since the last step, and that step. */
  readonly turn?: { readonly text: string; readonly step?: Step };
  /** It must be loaded anew. */
  readonly stale?: true;
}

/** An event of a conversation, as the server sends it. */
export type ConversationEvent = { readonly seq: number; readonly at: number } & (
  | { readonly type: "queued" | "turn"; readonly message: MessageWire }
  | { readonly type: "dropped"; readonly ids: readonly string[] }
  | { readonly type: "text"; readonly text: string }
  | ({ readonly type: "tool" } & Step)
  | { readonly type: "question"; readonly question: QuestionWire }
  | { readonly type: "question.over"; readonly id: string }
  | { readonly type: "title"; readonly title: string }
  | { readonly type: "reload" }
  | { readonly type: "end"; readonly outcome: string; readonly why: string }
);

/** The names of the events. */
export const EVENT_NAMES = [
  "queued",
  "turn",
  "dropped",
  "text",
  "tool",
  "question",
  "question.over",
  "title",
  "reload",
  "end",
] as const satisfies readonly ConversationEvent["type"][];

/** A conversation as it was loaded. */
export const loaded = (view: ConversationViewWire): Conversation => ({
  title: view.conversation.title,
  damaged: view.conversation.damaged,
  messages: view.messages,
  questions: view.questions,
  queued: view.queued,
  seq: view.after,
  ...(view.before === undefined ? {} : { before: view.before }),
});

/** Older messages before those that are there. */
export const withOlder = (known: Conversation, view: ConversationViewWire): Conversation => {
  const { before: _before, ...more } = known;
  const messages = [...view.messages, ...known.messages];
  const damaged = known.damaged || view.conversation.damaged;
  return { ...more, damaged, messages, ...(view.before === undefined ? {} : { before: view.before }) };
};

/** A conversation after one more event. One that it has already changes nothing. */
export function after(known: Conversation, event: ConversationEvent): Conversation {
  if (event.seq <= known.seq) return known;
  const now = { ...known, seq: event.seq };
  const { turn } = known;
  switch (event.type) {
    case "queued":
      return { ...now, queued: [...known.queued.filter(isNot(event.message.id)), event.message] };
    case "dropped":
      return { ...now, queued: known.queued.filter(({ id }) => id === undefined || !event.ids.includes(id)) };
    case "turn":
      return {
        ...now,
        queued: known.queued.filter(isNot(event.message.id)),
        messages: [...known.messages.filter(isNot(event.message.id)), event.message],
        turn: { text: "" },
      };
    case "text":
      return { ...now, turn: { ...turn, text: (turn?.text ?? "") + event.text } };
    case "tool":
      return withStep(now, event);
    case "question":
      return {
        ...now,
        questions: [...known.questions.filter(({ id }) => id !== event.question.id), event.question],
      };
    case "question.over":
      return { ...now, questions: known.questions.filter(({ id }) => id !== event.id) };
    case "title":
      return { ...now, title: event.title };
    case "reload":
      return { ...now, stale: true };
    case "end":
      return ended(now, event);
  }
}

const isNot =
  (id: string | undefined) =>
  (message: MessageWire): boolean =>
    id === undefined || message.id !== id;

function said(
  known: Conversation,
  { seq, at }: Pick<ConversationEvent, "seq" | "at">,
): readonly MessageWire[] {
  const text = known.turn?.text.trim() ?? "";
  return text === "" ? known.messages : [...known.messages, { seq, at, from: "agent", text }];
}

function withStep(known: Conversation, event: ConversationEvent & { readonly type: "tool" }): Conversation {
  const { id, label, outcome, seq, at } = event;
  const messages = said(known, event);
  if (outcome === undefined) return { ...known, messages, turn: { text: "", step: { id, label } } };
  return {
    ...known,
    messages: [...messages, { seq, at, from: "tool", text: label, outcome }],
    turn: { text: "" },
  };
}

function ended(known: Conversation, event: ConversationEvent & { readonly type: "end" }): Conversation {
  const { turn: _turn, ...more } = known;
  const { seq, at, outcome, why } = event;
  const messages = said(known, event);
  if (outcome === "completed") return { ...more, questions: [], messages };
  return { ...more, questions: [], messages: [...messages, { seq, at, from: "end", text: why, outcome }] };
}
