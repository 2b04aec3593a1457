import { defined } from "../../shared/json/defined.ts";
import { processNote } from "../../shared/text/process-words.ts";
import { type HistoryEvent, isHistoryEvent } from "./history-events.ts";
import { segmentText, textPart, type ToolContent, type UserPart } from "../events/content.ts";
import type { EventNamed, Row, TurnOutcome } from "../events/events.ts";
import type { GivenMessage } from "../events/prompt.ts";
import type { AssistantMessage, ModelMessage, ToolResultMessage } from "../ports/model-message.ts";
import { foldAll, reachesBack } from "../state/fold.ts";
import { coversSeq, type Range, type SessionState } from "../state/state.ts";

/** The edits of a history: which rows requests leave out, and where summaries stand for them. */
export interface HistoryEdits {
  /** Undos and compressions up to this cursor are accounted for, those that have become void too. */
  readonly seq: number;
  readonly undone: readonly Range[];
  readonly compressions: readonly (Range & { readonly summary: string })[];
}

const NOT_RUN = "Not run: the turn was interrupted before this call started.";
const UNKNOWN = "Interrupted: the outcome of this call is unknown. Check before you repeat it.";
const HEADLESS = "(The beginning of this conversation is not available.)";

const BROKEN: Readonly<Record<TurnOutcome, string | undefined>> = {
  completed: undefined,
  cancelled: "was interrupted",
  interrupted: "was interrupted",
  failed: "failed",
};

/** The separator of a reply from the one before it in the same turn; shown to people, not sent to the model. */
const REPLY_SEPARATOR = /^\n\n/;

/** A reply with calls: their results are still coming. */
interface OpenReply {
  readonly message: AssistantMessage;
  readonly results: Map<string, Result>;
  readonly started: Set<string>;
  /** The message of its results, once all of them are there. */
  answered?: ModelMessage;
}

type Result = { readonly content: readonly ToolContent[]; readonly isError: boolean };

/**
 * The model's view of a session, built row by row. It is total: for any rows, `messages` is a legal conversation for
 * every dialect. Undo and compression change what was built; they set `stale`, and the owner builds it anew.
 */
export class Conversation {
  /** A row came that changes the past: build it again from the rows. */
  stale = false;
  readonly #marks: HistoryEdits;
  readonly #messages: ModelMessage[] = [];
  readonly #ids = new Set<string>();
  #summarised = 0;
  #open: OpenReply | undefined;
  /** As it can be sent, until the next row. */
  #current: readonly ModelMessage[] | undefined;
  /** Said before the next prompt: how the turn ended that was not brought to its end. */
  #broken: string | undefined;
  /** Said before the next prompt: what happened beside the turns. */
  readonly #told = new Map<string, string>();

  constructor(marks: HistoryEdits = { seq: 0, undone: [], compressions: [] }) {
    this.#marks = { ...marks, compressions: marks.compressions.toSorted((a, b) => a.from - b.from) };
  }

  hasCall(id: string): boolean {
    return this.#ids.has(id);
  }

  push(row: Row): void {
    this.#current = undefined;
    const { event, seq } = row;
    if (!isHistoryEvent(event)) return this.#summarise(seq);
    if (event.type === "history.undo" || event.type === "history.compress") {
      if (seq > this.#marks.seq && reachesBack(event, seq)) this.stale = true;
      return;
    }
    this.#summarise(seq);
    if (coversSeq(this.#marks.undone, seq)) return;
    this.#hear(event);
    if (coversSeq(this.#marks.compressions, seq)) return this.#skip(event);
    switch (event.type) {
      case "history.given":
        for (const message of event.messages) this.#given(message);
        return;
      case "turn.start":
        return this.#prompt(event.prompt.parts);
      case "steer.delivered":
        return this.#user([textPart(event.text)]);
      case "reply.complete":
        return this.#reply(event);
      case "tool.start":
        this.#open?.started.add(event.callId);
        return;
      case "turn.end":
        return this.#end(event.outcome);
      case "process.told":
        return this.#user([textPart(event.text)]);
      case "process.complete":
      case "todos.cleared":
        return;
      case "tool.complete":
        return this.#result(event.callId, { content: event.content, isError: event.outcome !== "ok" });
    }
  }

  /** The conversation as it can be sent now: with something for the model to answer at its end. */
  messages(): readonly ModelMessage[] {
    if (this.#current !== undefined) return this.#current;
    const all = this.history();
    if (all.at(-1)?.role === "assistant") all.push({ role: "user", parts: [textPart("Continue.")] });
    this.#current = all;
    return all;
  }

  /** The conversation so far. Arrays that were given out before stay as they are. */
  history(): ModelMessage[] {
    const all = [...this.#messages];
    for (const message of this.#settled()) append(all, message);
    for (const { summary } of this.#marks.compressions.slice(this.#summarised)) {
      append(all, { role: "user", parts: [textPart(summaryText(summary))] });
    }
    return all;
  }

  /** Puts each summary where its range begins. */
  #summarise(seq: number): void {
    for (;;) {
      const next = this.#marks.compressions[this.#summarised];
      if (next === undefined || next.from >= seq) return;
      this.#summarised += 1;
      this.#user([textPart(summaryText(next.summary))]);
    }
  }

  /** Keeps what the model has yet to hear, also of rows that a summary stands for: it does not say it. */
  #hear(event: HistoryEvent): void {
    if (event.type === "todos.cleared") this.#told.set(event.type, CLEARED);
    if (event.type === "process.complete" && event.heard !== true)
      this.#told.set(event.processId, processNote(event));
    if (event.type === "process.told") for (const id of event.processIds) this.#told.delete(id);
  }

  /** A summary stands for the prompt that said what there was to hear. */
  #skip({ type }: HistoryEvent): void {
    if (type === "turn.start") this.#told.clear();
  }

  /** A turn that came to no end leaves a prompt without an answer, or half an answer. The model would take it for done. */
  #end(outcome: TurnOutcome): void {
    const how = BROKEN[outcome];
    if (how === undefined) return;
    const answered = this.#open !== undefined || this.#messages.at(-1)?.role !== "user";
    this.#broken = `[The turn above ${how} before it was ${answered ? "done" : "answered"}.]`;
  }

  #prompt(parts: readonly UserPart[]): void {
    const told = [...(this.#broken === undefined ? [] : [this.#broken]), ...this.#told.values()];
    this.#broken = undefined;
    this.#told.clear();
    this.#user([...told.map(textPart), ...parts]);
  }

  #user(parts: readonly UserPart[]): void {
    this.#settle();
    append(this.#messages, { role: "user", parts });
  }

  #given(message: GivenMessage): void {
    switch (message.role) {
      case "user":
        return this.#user(message.parts);
      case "assistant":
        return this.#assistant({ text: message.text, reasoning: "", calls: message.calls ?? [] });
      case "tool":
        return this.#result(message.callId, { content: [textPart(message.text)], isError: false });
    }
  }

  #reply(event: EventNamed<"reply.complete">): void {
    this.#assistant({
      text: segmentText(event.segments, "text").replace(REPLY_SEPARATOR, ""),
      reasoning: segmentText(event.segments, "reasoning"),
      calls: event.calls,
      ...defined({ items: event.items }),
    });
  }

  #assistant(said: Omit<AssistantMessage, "role">): void {
    this.#settle();
    const calls = said.calls.filter(({ id }) => {
      const fresh = !this.#ids.has(id);
      this.#ids.add(id);
      return fresh;
    });
    const message: AssistantMessage = { ...said, role: "assistant", calls };
    if (calls.length > 0) this.#open = { message, results: new Map(), started: new Set() };
    else append(this.#messages, message);
  }

  #result(callId: string, result: Result): void {
    if (this.#open?.results.has(callId) === false) this.#open.results.set(callId, result);
  }

  #settle(): void {
    for (const message of this.#settled()) append(this.#messages, message);
    this.#open = undefined;
  }

  /** The newest reply with a result for each of its calls, as if the turn ended here. */
  #settled(): readonly ModelMessage[] {
    const open = this.#open;
    if (open === undefined) return [];
    if (open.answered !== undefined) return [open.message, open.answered];
    const results = open.message.calls.map(({ id, name }): ToolResultMessage => {
      const known = open.results.get(id);
      const missing = { content: [textPart(open.started.has(id) ? UNKNOWN : NOT_RUN)], isError: true };
      return { callId: id, name, ...(known ?? missing) };
    });
    const message: ModelMessage = { role: "tool", results };
    // The same object each time: what requests carry of it is made once.
    if (open.message.calls.every(({ id }) => open.results.has(id))) open.answered = message;
    return [open.message, message];
  }
}

/** Adds a message so that the list stays legal: no empty ones, no two of a kind in a row, a user first. */
function append(list: ModelMessage[], message: ModelMessage): void {
  const last = list.at(-1);
  switch (message.role) {
    case "user": {
      const parts = message.parts.filter((part) => part.type !== "text" || part.text.trim() !== "");
      if (parts.length === 0) return;
      if (last?.role === "user") list[list.length - 1] = { role: "user", parts: [...last.parts, ...parts] };
      else list.push({ role: "user", parts });
      return;
    }
    case "assistant": {
      if (message.text.trim() === "" && message.calls.length === 0) return;
      if (last === undefined) list.push({ role: "user", parts: [textPart(HEADLESS)] });
      if (last?.role === "assistant")
        list[list.length - 1] = { ...message, text: `${last.text}\n\n${message.text}` };
      else list.push(message);
      return;
    }
    case "tool":
      list.push(message);
  }
}

const CLEARED = "[The user put the todo list away. Make a new one only for new work.]";

const summaryText = (summary: string): string => `[Summary of the conversation so far]\n${summary}`;

/** Gives the edits that a state knows of, with the summaries from the rows that made them. */
export function historyEdits(state: SessionState, rows: Iterable<Row>): HistoryEdits {
  const summaries = new Map<number, string>();
  for (const { event, seq } of rows) if (event.type === "history.compress") summaries.set(seq, event.summary);
  return {
    seq: state.seq,
    undone: state.undone,
    compressions: state.compressions.map((range) => ({ ...range, summary: summaries.get(range.seq) ?? "" })),
  };
}

/** Builds a conversation from the rows of a log and the state after them. */
export function conversationOf(rows: readonly Row[], state: SessionState): Conversation {
  const conversation = new Conversation(historyEdits(state, rows));
  for (const row of rows) conversation.push(row);
  return conversation;
}

/** The legal request of any list of rows, in one go. */
export const deriveConversation = (rows: readonly Row[]): readonly ModelMessage[] =>
  conversationOf(rows, foldAll(rows)).messages();
