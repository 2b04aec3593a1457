import type {
  Origin,
  QuestionRequest,
  QuestionResolved,
  Row,
  SessionEvent,
  SessionState,
  Todo,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { callByType, type MemberOf } from "../../shared/union/by-type.ts";
import { boundedInput } from "./bounded-input.ts";
import type { ConversationUpdate, ProjectedCall } from "./conversation-update.ts";
import { EVENT_UPDATES, type EventProjectors } from "./event-updates.ts";
import { subagentCall } from "./subagent-call.ts";
import type { TurnEnd } from "./turn-end.ts";

type EventOf<Name extends SessionEvent["type"]> = MemberOf<SessionEvent, Name>;

/** The options of a projection. */
export interface ProjectionOptions {
  /** Whether the client shows this by itself, because it sent it; always `false` for a replay. */
  readonly isOwn: (from: Origin) => boolean;
  /** The session's state where the reading begins, when that is not the beginning. */
  readonly state?: SessionState;
}

/**
 * The projection of a session's events: it turns them into updates for a client. Live events and a replay give the same
 * updates, because ids, titles and contents come from the events alone.
 */
export class Projection {
  readonly #isOwn: ProjectionOptions["isOwn"];
  /** The running calls, as the client first saw them. */
  readonly #calls = new Map<string, ProjectedCall>();
  readonly #steers = new Map<string, { readonly text: string; readonly from: Origin }>();
  /** The calls that wait for a person, by the ids of their questions. */
  readonly #waitingCalls = new Map<string, string>();
  /** The questions of subagents that are shown as calls. */
  readonly #subagentQuestions = new Set<string>();
  #turnId: string;
  #promptId: string;
  /** The complete replies of the turn. */
  #replies: number;
  /** The turn has text already. */
  #turnHasText = false;
  /** The present reply has no text yet. */
  #isReplyEmpty: boolean;
  #todos: readonly Todo[];
  #isBlocked: boolean;

  readonly #projectors: EventProjectors = {
    ...EVENT_UPDATES,
    "turn.start": (event) => this.#turnStart(event),
    "message.delta": ({ text }) => this.#text(text),
    "reasoning.delta": ({ text }) => [
      { type: "thought", messageId: `${this.#turnId}.${this.#replies}.thought`, text },
    ],
    "reply.complete": () => {
      this.#replies += 1;
      this.#isReplyEmpty = true;
      return [];
    },
    "tool.start": (event) => this.#toolStart(event),
    "tool.complete": (event) => this.#toolComplete(event),
    "approval.request": (event) => this.#asked(event),
    "clarify.request": (event) => this.#asked(event),
    "sudo.request": (event) => this.#asked(event),
    "secret.request": (event) => this.#asked(event),
    "approval.resolved": (event) => this.#answered(event),
    "clarify.resolved": (event) => this.#answered(event),
    "sudo.resolved": (event) => this.#answered(event),
    "secret.resolved": (event) => this.#answered(event),
    "steer.accepted": ({ steerId, text, from }) => {
      this.#steers.set(steerId, { text, from });
      return [];
    },
    "steer.delivered": (event) => this.#steered(event),
    "turn.end": (event) => this.#turnEnd(event),
  };

  constructor({ isOwn, state }: ProjectionOptions) {
    this.#isOwn = isOwn;
    this.#turnId = state?.turn?.turnId ?? "";
    this.#promptId = state?.turn?.prompt.id ?? "";
    this.#replies = state?.turn?.replies ?? 0;
    this.#isReplyEmpty = state?.turn === undefined;
    this.#todos = state?.todos ?? [];
    for (const { request } of state?.questions ?? []) this.#noteQuestion(request);
    this.#isBlocked = this.#waitingCalls.size > 0;
  }

  /** A running call as the client first saw it. */
  call(callId: string): ProjectedCall | undefined {
    return this.#calls.get(callId);
  }

  /** Turns an event into updates, in order. */
  take(event: SessionEvent): readonly ConversationUpdate[] {
    return callByType(this.#projectors, event, undefined);
  }

  #turnStart({ turnId, prompt }: EventOf<"turn.start">): readonly ConversationUpdate[] {
    this.#turnId = turnId;
    this.#promptId = prompt.id;
    this.#replies = 0;
    this.#turnHasText = false;
    this.#isReplyEmpty = true;
    this.#calls.clear();
    this.#steers.clear();
    this.#waitingCalls.clear();
    this.#isBlocked = false;
    const start: ConversationUpdate = { type: "turn.start", turnId, promptId: prompt.id };
    if (this.#isOwn(prompt.from)) return [start];
    return [start, { type: "user", messageId: prompt.id, parts: prompt.parts }];
  }

  /** An empty line separates the replies in the text of the whole answer; as messages of their own they need none. */
  #text(delta: string): readonly ConversationUpdate[] {
    const isNewReply = this.#turnHasText && this.#isReplyEmpty;
    const text = isNewReply && delta.startsWith("\n\n") ? delta.slice(2) : delta;
    this.#turnHasText = true;
    this.#isReplyEmpty = false;
    return text === "" ? [] : [{ type: "text", messageId: `${this.#turnId}.${this.#replies}`, text }];
  }

  #toolStart(event: EventOf<"tool.start">): readonly ConversationUpdate[] {
    const { callId, label, name, kind, input, content = [], locations = [], asks = false } = event;
    const title = label === "" ? name : label;
    const call = { callId, title, name, kind, asks, input: boundedInput(input), content, locations };
    this.#calls.set(callId, call);
    return [{ type: "call.start", call }, ...this.#blockedChange()];
  }

  #toolComplete(event: EventOf<"tool.complete">): readonly ConversationUpdate[] {
    const { callId, outcome, content, locations, todos, name, label } = event;
    const known = this.#calls.get(callId);
    const kind = known?.kind ?? "other";
    this.#calls.delete(callId);
    // The call began before this reader came.
    const late = { callId, title: label, name, kind, asks: false, input: {}, content: [], locations: [] };
    const start: readonly ConversationUpdate[] =
      known === undefined ? [{ type: "call.start", call: late }] : [];
    const end: ConversationUpdate = {
      type: "call.end",
      callId,
      kind,
      outcome,
      content,
      ...defined({ locations }),
    };
    const updates = [...start, end, ...this.#blockedChange()];
    if (todos === undefined) return updates;
    this.#todos = todos;
    return [...updates, { type: "plan", todos }];
  }

  #asked(request: QuestionRequest): readonly ConversationUpdate[] {
    this.#noteQuestion(request);
    const call: readonly ConversationUpdate[] =
      request.type === "approval.request" && request.child !== undefined
        ? [{ type: "call.start", call: subagentCall(request) }]
        : [];
    return [...call, ...this.#blockedChange()];
  }

  #noteQuestion({ type, requestId, callId, child }: QuestionRequest): void {
    this.#waitingCalls.set(requestId, callId);
    if (type === "approval.request" && child !== undefined) this.#subagentQuestions.add(requestId);
  }

  #answered({ type, requestId, callId, resolution }: QuestionResolved): readonly ConversationUpdate[] {
    this.#waitingCalls.delete(requestId);
    const runs =
      type === "approval.resolved" && resolution.outcome === "answered" && resolution.choice !== "deny";
    if (this.#subagentQuestions.delete(requestId)) {
      const outcome = runs ? "ok" : "denied";
      return [
        { type: "call.end", callId: requestId, kind: "other", outcome, content: [] },
        ...this.#blockedChange(),
      ];
    }
    const run: readonly ConversationUpdate[] = runs ? [{ type: "call.runs", callId }] : [];
    return [...run, ...this.#blockedChange()];
  }

  /** Tells when nothing can go on without a person, and when something can again. */
  #blockedChange(): readonly ConversationUpdate[] {
    const waiting = new Set(this.#waitingCalls.values());
    const isBlocked = waiting.size > 0 && [...this.#calls.keys()].every((callId) => waiting.has(callId));
    if (isBlocked === this.#isBlocked) return [];
    this.#isBlocked = isBlocked;
    return [{ type: "state", state: isBlocked ? "requires_action" : "running" }];
  }

  #steered({ steerIds, text, turnId }: EventOf<"steer.delivered">): readonly ConversationUpdate[] {
    const known = steerIds.map((id) => this.#steers.get(id));
    // Text that was accepted before this reader came has no known author: all of it is shown.
    const foreign = known.every((steer) => steer !== undefined)
      ? known.filter(({ from }) => !this.#isOwn(from)).map((steer) => steer.text)
      : [text];
    if (foreign.length === 0) return [];
    const messageId = steerIds[0] ?? `${turnId}.steer`;
    return [{ type: "user", messageId, parts: [{ type: "text", text: foreign.join("\n\n") }] }];
  }

  #turnEnd(event: EventOf<"turn.end">): readonly ConversationUpdate[] {
    const { turnId, outcome, usage, finish, error, undelivered = [] } = event;
    const end: TurnEnd = {
      promptId: this.#promptId,
      turnId,
      outcome,
      usage,
      ...defined({ finish, error, reason: event.reason }),
    };
    const late = undelivered.map((text, index): ConversationUpdate => {
      const id = `${turnId}.undelivered.${index}`;
      const words = `Came too late and was not delivered: ${text}`;
      return { type: "notice", id, level: "warn", important: true, text: words };
    });
    this.#calls.clear();
    return [...this.#openPlan(), ...late, { type: "turn.end", end }];
  }

  /** The plan without steps in progress: no one works on it any more, and some clients would show it as busy for ever. */
  #openPlan(): readonly ConversationUpdate[] {
    if (!this.#todos.some(({ status }) => status === "in_progress")) return [];
    this.#todos = this.#todos.map((todo) =>
      todo.status === "in_progress" ? { ...todo, status: "pending" } : todo,
    );
    return [{ type: "plan", todos: this.#todos }];
  }
}

/** Whether a row was undone since: a replay leaves it out. */
export function isUndone({ seq }: Pick<Row, "seq">, { undone }: Pick<SessionState, "undone">): boolean {
  return undone.some(({ from, to }) => seq > from && seq <= to);
}
