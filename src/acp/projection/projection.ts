import type {
  Origin,
  QuestionRequest,
  QuestionResolved,
  Resolution,
  Row,
  SessionEvent,
  SessionState,
  Todo,
} from "../../core/index.ts";
import { subagentCall } from "./asked-call.ts";
import { compaction, notice, waiting } from "./asides.ts";
import { boundedInput } from "./bounded-input.ts";
import type { ConversationUpdate, ProjectedCall, TurnEnd } from "./conversation-update.ts";

type QuestionEnd = EventOf<QuestionResolved["type"]>;
type EventOf<T extends SessionEvent["type"]> = Extract<SessionEvent, { type: T }>;

export interface ProjectionOptions {
  /** The client shows by itself what it sent, so that it need not be told; `false` for a replay. */
  readonly isOwn: (from: Origin) => boolean;
  /** Where the reading begins, when that is not the beginning. */
  readonly state?: SessionState;
}

/**
 * Turns a session's events into what a client is shown. The same for live events and for a replay: what it remembers
 * comes from the events themselves, so that ids, titles and contents are the same whenever they are read.
 */
export class Projection {
  readonly #calls = new Map<string, ProjectedCall>();
  readonly #steers = new Map<string, { readonly text: string; readonly from: Origin }>();
  readonly #isOwn: ProjectionOptions["isOwn"];
  #turnId: string;
  #promptId: string;
  /** The replies of the turn that are complete. */
  #replies: number;
  /** Some text of the turn's answer was shown; `fresh`: none of the present reply's. */
  #said = false;
  #fresh: boolean;
  #todos: readonly Todo[];
  /** The calls that wait for a person, by the ids of their questions. */
  readonly #waiting = new Map<string, string>();
  /** The questions of subagents, which are shown as calls. */
  readonly #below = new Set<string>();
  #isBlocked = false;

  constructor({ isOwn, state }: ProjectionOptions) {
    this.#isOwn = isOwn;
    this.#turnId = state?.turn?.turnId ?? "";
    this.#promptId = state?.turn?.prompt.id ?? "";
    this.#replies = state?.turn?.replies ?? 0;
    this.#fresh = state?.turn === undefined;
    this.#todos = state?.todos ?? [];
    for (const { request } of state?.questions ?? []) this.#noteWaiting(request);
    this.#isBlocked = this.#waiting.size > 0;
  }

  /** A running call as it was shown first. */
  call(callId: string): ProjectedCall | undefined {
    return this.#calls.get(callId);
  }

  /** What an event shows, in order. */
  take(event: SessionEvent): readonly ConversationUpdate[] {
    // What subagents do is shown as the progress of the call that asked for them.
    return "subagentId" in event ? [] : this.#take(event);
  }

  #take(event: Exclude<SessionEvent, { subagentId: string }>): readonly ConversationUpdate[] {
    if ("beforeEffect" in event) return this.#asked(event);
    if ("resolution" in event) return this.#answered(event);
    switch (event.type) {
      case "turn.start":
        return this.#turnStart(event);
      case "message.delta":
        return this.#text(event.text);
      case "reasoning.delta":
        return [{ type: "thought", messageId: `${this.#turnId}.${this.#replies}.thought`, text: event.text }];
      case "reply.complete":
        return this.#replyComplete();
      case "tool.start":
        return this.#toolStart(event);
      case "tool.progress":
        return [progress(event)];
      case "tool.complete":
        return this.#toolComplete(event);
      case "steer.accepted":
        return this.#steerAccepted(event);
      case "steer.delivered":
        return this.#steered(event);
      case "turn.end":
        return this.#turnEnd(event);
      case "notice":
      case "prompt.held":
        return [notice(event)];
      case "model.retry":
      case "status.update":
        return [waiting(event)];
      case "background.complete":
        return [{ type: "text", messageId: event.taskId, text: `[${event.taskId}] ${event.text}` }];
      case "history.compress":
      case "history.compress_failed":
        return [compaction(event)];
      case "history.given":
        return given(event);
      case "session.start":
      case "session.branch":
      case "session.end":
      case "title.set":
      case "settings.set":
      case "approval.pattern":
      case "prompt.queued":
      case "prompt.dropped":
      case "prompt.confirmed":
      case "history.undo":
      case "background.start":
      case "message.complete":
      case "tool.generating":
        // Settings and the queue reach the client in their own ways; the rest is nothing to look at.
        return [];
    }
  }

  #turnStart({ turnId, prompt }: EventOf<"turn.start">): readonly ConversationUpdate[] {
    this.#turnId = turnId;
    this.#promptId = prompt.id;
    this.#replies = 0;
    this.#said = false;
    this.#fresh = true;
    this.#calls.clear();
    this.#steers.clear();
    this.#waiting.clear();
    this.#isBlocked = false;
    const start: ConversationUpdate = { type: "turn.start", turnId, promptId: prompt.id };
    if (this.#isOwn(prompt.from)) return [start];
    return [start, { type: "user", messageId: prompt.id, parts: prompt.parts }];
  }

  /** Replies are parted by an empty line in the text of the whole answer; as messages of their own they need none. */
  #text(delta: string): readonly ConversationUpdate[] {
    const text = this.#said && this.#fresh && delta.startsWith("\n\n") ? delta.slice(2) : delta;
    this.#said = true;
    this.#fresh = false;
    return text === "" ? [] : [{ type: "text", messageId: `${this.#turnId}.${this.#replies}`, text }];
  }

  #replyComplete(): readonly ConversationUpdate[] {
    this.#replies += 1;
    this.#fresh = true;
    return [];
  }

  #toolStart(event: EventOf<"tool.start">): readonly ConversationUpdate[] {
    const { callId, label, name, kind, input, content = [], locations = [], asks = false } = event;
    const title = label === "" ? name : label;
    const call = { callId, title, name, kind, asks, input: boundedInput(input), content, locations };
    this.#calls.set(callId, call);
    return [{ type: "call.start", call }, ...this.#blocked()];
  }

  #toolComplete(event: EventOf<"tool.complete">): readonly ConversationUpdate[] {
    const { callId, outcome, content, locations, todos, name, label } = event;
    const known = this.#calls.get(callId);
    const kind = known?.kind ?? "other";
    this.#calls.delete(callId);
    const late = { callId, title: label, name, kind, asks: false, input: {}, content: [], locations: [] };
    // It began before this reader came.
    const start: readonly ConversationUpdate[] =
      known === undefined ? [{ type: "call.start", call: late }] : [];
    const end: ConversationUpdate = {
      type: "call.end",
      callId,
      kind,
      outcome,
      content,
      ...(locations === undefined ? {} : { locations }),
    };
    const shown = [...start, end, ...this.#blocked()];
    if (todos === undefined) return shown;
    this.#todos = todos;
    return [...shown, { type: "plan", todos }];
  }

  #asked(request: QuestionRequest): readonly ConversationUpdate[] {
    this.#noteWaiting(request);
    const call: readonly ConversationUpdate[] =
      request.type === "approval.request" && request.child !== undefined
        ? [{ type: "call.start", call: subagentCall(request) }]
        : [];
    return [...call, ...this.#blocked()];
  }

  #noteWaiting({ type, requestId, callId, child }: QuestionRequest): void {
    this.#waiting.set(requestId, callId);
    if (type === "approval.request" && child !== undefined) this.#below.add(requestId);
  }

  #answered({ type, requestId, callId, resolution }: QuestionEnd): readonly ConversationUpdate[] {
    this.#waiting.delete(requestId);
    const runs = type === "approval.resolved" && allows(resolution);
    if (this.#below.delete(requestId)) {
      const outcome = runs ? "ok" : "denied";
      const end: ConversationUpdate = {
        type: "call.end",
        callId: requestId,
        kind: "other",
        outcome,
        content: [],
      };
      return [end, ...this.#blocked()];
    }
    const run: readonly ConversationUpdate[] = runs ? [{ type: "call.runs", callId }] : [];
    return [...run, ...this.#blocked()];
  }

  /** Tells when nothing can go on without a person, and when something can again. */
  #blocked(): readonly ConversationUpdate[] {
    const waiting = new Set(this.#waiting.values());
    const isBlocked = waiting.size > 0 && [...this.#calls.keys()].every((callId) => waiting.has(callId));
    if (isBlocked === this.#isBlocked) return [];
    this.#isBlocked = isBlocked;
    return [{ type: "state", state: isBlocked ? "requires_action" : "running" }];
  }

  #steerAccepted({ steerId, text, from }: EventOf<"steer.accepted">): readonly ConversationUpdate[] {
    this.#steers.set(steerId, { text, from });
    return [];
  }

  #steered({ steerIds, text, turnId }: EventOf<"steer.delivered">): readonly ConversationUpdate[] {
    const known = steerIds.map((id) => this.#steers.get(id));
    // Accepted before this reader came: who said what is not known, so all of it is shown.
    const foreign = known.every((steer) => steer !== undefined)
      ? known.filter(({ from }) => !this.#isOwn(from)).map((steer) => steer.text)
      : [text];
    if (foreign.length === 0) return [];
    const messageId = steerIds[0] ?? `${turnId}.steer`;
    return [{ type: "user", messageId, parts: [{ type: "text", text: foreign.join("\n\n") }] }];
  }

  #turnEnd({
    seq: _seq,
    at: _at,
    type: _type,
    undelivered = [],
    ...event
  }: EventOf<"turn.end">): readonly ConversationUpdate[] {
    const end: TurnEnd = { promptId: this.#promptId, ...event };
    const shown: ConversationUpdate[] = [];
    if (this.#todos.some(({ status }) => status === "in_progress")) {
      // Nobody works on it any more; some clients would show it as busy for ever.
      this.#todos = this.#todos.map((todo) =>
        todo.status === "in_progress" ? { ...todo, status: "pending" } : todo,
      );
      shown.push({ type: "plan", todos: this.#todos });
    }
    for (const [index, text] of undelivered.entries()) {
      const id = `${event.turnId}.undelivered.${index}`;
      shown.push({
        type: "notice",
        id,
        level: "warn",
        important: true,
        text: `Came too late and was not delivered: ${text}`,
      });
    }
    this.#calls.clear();
    return [...shown, { type: "turn.end", end }];
  }
}

function progress({ callId, preview, output }: EventOf<"tool.progress">): ConversationUpdate {
  return { type: "call.progress", callId, preview, ...(output === undefined ? {} : { output }) };
}

const allows = (resolution: Resolution): boolean =>
  resolution.outcome === "answered" && resolution.choice !== "deny";

/** What was said elsewhere before; results of tools without their calls are nothing to look at. */
function given({ messages, seq }: EventOf<"history.given">): readonly ConversationUpdate[] {
  return messages.flatMap((message, index): readonly ConversationUpdate[] => {
    const messageId = `given.${seq}.${index}`;
    if (message.role === "user") return [{ type: "user", messageId, parts: message.parts }];
    if (message.role === "tool" || message.text === "") return [];
    return [{ type: "text", messageId, text: message.text }];
  });
}

/** What a row has to say that was taken back since is not shown again. */
export function isUndone({ seq }: Pick<Row, "seq">, { undone }: Pick<SessionState, "undone">): boolean {
  return undone.some(({ from, to }) => seq > from && seq <= to);
}
