import { defined } from "../../shared/json/defined.ts";
import type { DurableEvent, EventNamed, Row } from "../events/events.ts";
import type { Origin } from "../events/prompt.ts";
import { isQuestion, type QuestionRequest, type QuestionResolved } from "../events/question-events.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { ModelSpan, TimeSpan, SubagentSpan, ToolSpan, WaitingSpan } from "./spans.ts";

type Growing<Each> = { -readonly [Key in keyof Each]: Each[Key] };

/** A derivation of the spans of one turn from its rows, which are taken in their order. */
export class TurnSpans {
  readonly #from: Origin;
  readonly #spans: TimeSpan[] = [];
  readonly #calls = new Map<string, Growing<ToolSpan>>();
  readonly #waits = new Map<string, Growing<WaitingSpan>>();
  readonly #subagents = new Map<string, Growing<SubagentSpan>>();
  /** Since then nothing else goes on that the log knows: what ends next began here, or later. */
  #mark: number;
  /** Calls that the model asked for and that have no result. */
  #due = new Set<string>();
  #crash: { readonly start: number; readonly during: string } | undefined;

  constructor({ at, event }: Row & { readonly event: EventNamed<"turn.start"> }) {
    this.#mark = at;
    this.#from = event.prompt.from;
  }

  take(event: DurableEvent, at: number): void {
    if (isQuestion(event)) return this.#asked(event, at);
    switch (event.type) {
      case "model.retry": {
        const { attempt, error, until } = event;
        this.#modelFailed(error.message, at);
        this.#add({ kind: "retry", start: at, end: Math.max(at, until), attempt, failure: error.message });
        return;
      }
      case "notice":
        // The model that stands in begins where the other one failed.
        if (event.kind === "model.fallback") this.#modelFailed(event.text, at);
        return;
      case "reply.complete":
        return this.#replied(event, at);
      case "history.compress":
      case "history.compress_failed":
        return this.#compacted(event, at);
      case "tool.start":
        return this.#called(event, at);
      case "tool.complete":
        return this.#returned(event, at);
      case "approval.resolved":
      case "clarify.resolved":
      case "sudo.resolved":
      case "secret.resolved":
        return this.#resolved(event, at);
      case "subagent.start":
        return this.#delegated(event, at);
      case "subagent.complete": {
        const span = this.#subagents.get(event.subagentId);
        if (span !== undefined) Object.assign(span, { end: at, status: event.status, usage: event.usage });
        return;
      }
      default:
        return;
    }
  }

  /** The process that ran the turn died some time after this, and what comes next was written by the one that took over. */
  diedAfter(at: number): void {
    const labels = [...this.#calls.values()].map(({ label }) => label);
    this.#crash = { start: at, during: labels.length > 0 ? labels.join(", ") : "a model call" };
  }

  /** The spans of a turn that ended so. */
  whole(
    { outcome, error }: Pick<EventNamed<"turn.end">, "outcome" | "error">,
    at: number,
  ): readonly TimeSpan[] {
    if (this.#crash !== undefined) this.#add({ kind: "crash", ...this.#crash, end: at });
    else if (this.#due.size === 0 && isOfModel(outcome, error) && at > this.#mark)
      this.#add({ kind: "model", start: this.#mark, end: at, ...defined({ failure: error?.message }) });
    return this.#sorted((span) => ({ ...span, end: Math.min(span.end ?? at, at) }));
  }

  /** The spans of a turn that goes on. */
  soFar(now: number): readonly TimeSpan[] {
    if (this.#due.size === 0 && this.#mark <= now) this.#add({ kind: "model", start: this.#mark });
    return this.#sorted(({ end, ...span }) => (end === undefined || end > now ? span : { ...span, end }));
  }

  #sorted(last: (span: TimeSpan) => TimeSpan): readonly TimeSpan[] {
    return this.#spans.map(last).sort((a, b) => a.start - b.start);
  }

  #add(span: TimeSpan): void {
    this.#spans.push(span);
    this.#mark = Math.max(this.#mark, span.end ?? span.start);
  }

  #modelFailed(failure: string, at: number): void {
    this.#endRetry(at);
    this.#add({ kind: "model", start: this.#mark, end: at, failure });
  }

  /** What comes next shows that the wait was over, also sooner than was planned. */
  #endRetry(at: number): void {
    const last = this.#spans.at(-1);
    if (last?.kind !== "retry" || (last.end ?? 0) <= at) return;
    Object.assign(last, { end: at });
    this.#mark = at;
  }

  #replied(event: EventNamed<"reply.complete">, at: number): void {
    const { askedAt, firstAt, usage, finish, provider, model, calls } = event;
    // Who took over wrote down the text that was shown.
    if (this.#crash !== undefined) return;
    this.#endRetry(askedAt ?? at);
    const start = Math.min(at, Math.max(this.#mark, askedAt ?? 0));
    const span: ModelSpan = {
      kind: "model",
      start,
      end: at,
      finish,
      ...(provider === "" ? {} : { provider, model, usage }),
      ...(firstAt === undefined ? {} : { firstAt: Math.min(at, Math.max(start, firstAt)) }),
    };
    this.#add(span);
    this.#due = new Set(calls.map(({ id }) => id));
  }

  #compacted(
    event: EventNamed<"history.compress"> | EventNamed<"history.compress_failed">,
    at: number,
  ): void {
    const told =
      event.type === "history.compress"
        ? { tokensBefore: event.tokensBefore, tokensAfter: event.tokensAfter }
        : { failure: event.reason };
    this.#add({ kind: "compaction", start: this.#mark, end: at, usage: event.usage, ...told });
  }

  #called({ callId, name, label }: EventNamed<"tool.start">, at: number): void {
    const span: Growing<ToolSpan> = { kind: "tool", start: at, callId, name, label };
    this.#calls.set(callId, span);
    this.#add(span);
  }

  #returned({ callId, outcome }: EventNamed<"tool.complete">, at: number): void {
    const span = this.#calls.get(callId);
    this.#calls.delete(callId);
    this.#due.delete(callId);
    if (span !== undefined) Object.assign(span, { end: at, outcome });
    this.#mark = at;
  }

  #asked(event: QuestionRequest, at: number): void {
    const { requestId, callId, child } = event;
    const span: Growing<WaitingSpan> = {
      kind: "waiting",
      start: at,
      requestId,
      callId,
      question: QUESTIONS[event.type],
      about: aboutOf(event),
      asked: this.#from,
      ...defined({ childId: child?.sessionId }),
    };
    this.#waits.set(requestId, span);
    this.#add(span);
  }

  #resolved({ requestId, resolution }: QuestionResolved, at: number): void {
    const span = this.#waits.get(requestId);
    if (span === undefined) return;
    const answer = resolution.outcome === "answered" ? { choice: resolution.choice, by: resolution.by } : {};
    Object.assign(span, { end: at, outcome: resolution.outcome, ...defined(answer) });
  }

  #delegated(event: EventNamed<"subagent.start">, at: number): void {
    const { subagentId, callId, childId, goal, model, depth } = event;
    const span: Growing<SubagentSpan> = {
      kind: "subagent",
      start: at,
      subagentId,
      callId,
      childId,
      goal,
      model,
      depth,
    };
    this.#subagents.set(subagentId, span);
    this.#add(span);
  }
}

/** Whether a turn that ended so was, as far as nothing else went on, at a model call. */
const isOfModel = (outcome: EventNamed<"turn.end">["outcome"], error: ErrorRecord | undefined): boolean =>
  outcome === "failed"
    ? error !== undefined && /^(?:provider|model)_/.test(error.code)
    : outcome !== "completed";

const QUESTIONS = {
  "approval.request": "approval",
  "clarify.request": "clarify",
  "sudo.request": "sudo",
  "secret.request": "secret",
} as const;

function aboutOf(event: QuestionRequest): string {
  switch (event.type) {
    case "approval.request":
      return event.description;
    case "clarify.request":
      return event.question;
    case "sudo.request":
      return event.command;
    case "secret.request":
      return event.envVar;
  }
}
