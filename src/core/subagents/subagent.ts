import { defined } from "../../shared/json/defined.ts";
import { cutMiddle } from "../turn/truncate-output.ts";
import { untilAborted } from "../../shared/async/deadline.ts";
import { sleep } from "../../shared/async/clock.ts";
import { type ErrorRecord, errorRecord, toHostError } from "../../shared/errors/host-error.ts";
import type { QuestionRequest } from "../events/question-events.ts";
import { type ChildEventHandlers, handleChildEvent } from "./child-events.ts";
import { personName } from "../events/prompt.ts";
import { submitPrompt } from "../session/submission.ts";
import { readEvents } from "../log/reader.ts";
import type { SessionActor } from "../session/session-actor.ts";
import type { Turn } from "../session/turn-handle.ts";
import type { TurnResult } from "../session/turn-waiters.ts";
import { subagentPrompt } from "./child-session.ts";
import { QuestionRelay } from "./question-relay.ts";
import { SubagentReporter } from "./subagent-reporter.ts";
import type { SubagentStats } from "./subagent-stats.ts";
import type { SubagentEvent, SubagentRef, SubagentStatus } from "../events/subagent-events.ts";
import type { ParentCall } from "../turn/subagent-port.ts";
import type { SubagentReport, SubagentTask } from "../ports/tool.ts";

/** A stopped subagent is over after this, whether or not its turn has noticed. */
const GRACE_MS = 2000;
/** While it waits for people, its time is checked at most this often. */
const TIME_CHECK_MS = 1000;
const SUMMARY_CHARACTERS = 500;

/** The options of a `Subagent`: its task, and the sessions of both sides. */
export interface SubagentOptions {
  readonly ref: SubagentRef;
  readonly task: SubagentTask;
  readonly call: ParentCall;
  readonly parent: SessionActor;
  readonly child: SessionActor;
  readonly model: string;
}

/** The end of a subagent's turn, as far as it is known. */
type End = Pick<TurnResult, "outcome" | "text" | "error">;

/** A subagent at work: drives its session's only prompt, and tells its parent what it does and how it ended. */
export class Subagent {
  readonly ref: SubagentRef;
  readonly parent: SessionActor;
  readonly child: SessionActor;
  readonly model: string;
  readonly startedAt: number;
  readonly #task: SubagentTask;
  readonly #call: ParentCall;
  readonly #reporter: SubagentReporter;
  readonly #relay: QuestionRelay;
  readonly #stop = new AbortController();
  #stopReason: "timeout" | "interrupted" | undefined;
  #cancelTimer: () => void = () => undefined;

  constructor({ ref, task, call, parent, child, model }: SubagentOptions) {
    this.ref = ref;
    this.parent = parent;
    this.child = child;
    this.model = model;
    this.startedAt = parent.services.clock.now();
    this.#task = task;
    this.#call = call;
    this.#relay = new QuestionRelay({ call, parent, child, goal: ref.goal });
    this.#reporter = new SubagentReporter({
      ref,
      parent,
      childId: child.id,
      onProgress: (text) => task.onProgress?.(text),
      onError: (thrown) => this.#onError(thrown),
    });
  }

  get asking(): boolean {
    return this.#relay.asking;
  }

  get stats(): SubagentStats {
    return this.#reporter.stats;
  }

  /** Stops it; the first reason counts. Returns at once. */
  stop(reason: "timeout" | "interrupted"): void {
    this.#stopReason ??= reason;
    this.#stop.abort();
  }

  /** Does the task, and reports how it ended. */
  async run(): Promise<SubagentReport> {
    const { clock } = this.parent.services;
    const begun = clock.monotonic();
    const disinherit = this.child.preamble.attachments.inherit(this.#call.attachments);
    const interrupt = (): void => this.stop("interrupted");
    this.#call.signal.addEventListener("abort", interrupt, { once: true });
    this.#limitTime(begun);
    try {
      await this.#append({
        type: "subagent.start",
        ...this.ref,
        childId: this.child.id,
        model: this.model,
        toolsets: this.child.log.state.settings.toolsets ?? [],
      });
      if (this.#call.signal.aborted) interrupt();
      const end = await this.#work();
      return await this.#report(end, Math.round(clock.monotonic() - begun));
    } finally {
      this.#cancelTimer();
      this.#call.signal.removeEventListener("abort", interrupt);
      disinherit();
    }
  }

  /** Limits its time, without the time in which it waits for people. */
  #limitTime(begun: number): void {
    const { clock, policy } = this.parent.services;
    const { timeoutMs } = policy().delegation;
    if (timeoutMs <= 0) return;
    const check = (): void => {
      const left = begun + timeoutMs + this.#relay.waitedMs - clock.monotonic();
      if (left <= 0) this.stop("timeout");
      else this.#cancelTimer = clock.after(Math.max(left, TIME_CHECK_MS), check);
    };
    this.#cancelTimer = clock.after(timeoutMs, check);
  }

  async #work(): Promise<End> {
    const { child } = this;
    const reading = new AbortController();
    const after = child.log.state.seq;
    const turn = this.#submit();
    const read = this.#follow(after, reading.signal).catch((thrown: unknown) => this.#onError(thrown));
    const end = await this.#end(turn);
    // The end of the turn is the last that is read; without one there is nothing to wait for.
    if (end === undefined) reading.abort();
    await read;
    return end ?? { outcome: "interrupted", text: "" };
  }

  #submit(): Turn {
    const { services, log } = this.child;
    const { prompt } = this.parent.log.state.turn ?? {};
    return submitPrompt(
      this.child,
      {
        text: subagentPrompt(this.#task),
        from: { surface: "subagent", client: this.ref.subagentId },
        questions: this.#call.questions,
        iterations: services.policy().delegation.iterations,
        signal: this.#stop.signal,
        ...defined({ memoryScope: prompt?.memoryScope, person: prompt && personName(prompt) }),
      },
      (options) => readEvents(log, options),
    );
  }

  /** Waits for the turn's end; `undefined` when it was stopped and does not end. */
  async #end(turn: Turn): Promise<End | undefined> {
    const { clock } = this.parent.services;
    const over = new AbortController();
    const late = untilAborted(this.#stop.signal, over.signal)
      .then(() => sleep(clock, GRACE_MS, over.signal))
      .then(() => undefined);
    const failed = (thrown: unknown): End => ({
      outcome: "failed",
      text: "",
      error: errorRecord(toHostError(thrown)),
    });
    try {
      return await Promise.race([turn.result.catch(failed), late]);
    } finally {
      over.abort();
    }
  }

  async #follow(after: number, signal: AbortSignal): Promise<void> {
    const handlers: ChildEventHandlers = {
      reporter: this.#reporter,
      onQuestion: (request) => this.#onQuestion(request),
      onResolved: (resolved) =>
        void this.#relay.onResolved(resolved).catch((thrown: unknown) => this.#onError(thrown)),
    };
    // Not `Session.events`: that the parent reads a question does not mean that anybody has seen it.
    for await (const event of readEvents(this.child.log, { after, signal })) {
      handleChildEvent(event, handlers);
      if (event.type === "turn.end") return;
    }
  }

  #onQuestion(request: QuestionRequest): void {
    this.#task.onProgress?.(`waits for an answer: ${request.type.slice(0, -".request".length)}`);
    this.#relay.onQuestion(request).catch((thrown: unknown) => this.#onError(thrown));
  }

  async #report(end: End, durationMs: number): Promise<SubagentReport> {
    const { answer: most, timeoutMs } = this.parent.services.policy().delegation;
    const status = this.#status(end);
    const reason = reasonFor(status, end.error, timeoutMs);
    const answer = this.stats.answer === "" ? end.text.trim() : this.stats.answer;
    const summary = (status === "completed" ? answer : (reason ?? answer)).slice(0, SUMMARY_CHARACTERS);
    await this.#append({
      type: "subagent.complete",
      ...this.ref,
      childId: this.child.id,
      status,
      summary: summary.toWellFormed(),
      durationMs,
      usage: this.child.log.state.usage,
      ...this.stats.totals(),
      ...defined({ error: end.error, sensitive: this.child.log.state.sensitive }),
    });
    return {
      sessionId: this.child.id,
      status,
      answer: truncateAnswer(answer, most),
      ...defined({ reason }),
      toolCalls: this.stats.toolCalls,
      durationMs,
    };
  }

  #status({ outcome }: End): SubagentStatus {
    switch (outcome) {
      case "completed":
      case "failed":
        return outcome;
      case "cancelled":
      case "interrupted":
        return this.#stopReason ?? "interrupted";
    }
  }

  async #append(event: SubagentEvent): Promise<void> {
    await this.parent.run("subagent", { event });
  }

  /** Reports an error, unless the process ends or another one took the session: that one settles the rest. */
  #onError(thrown: unknown): void {
    const error = toHostError(thrown);
    const isLeaving = error.code === "draining" || error.code === "lease_lost";
    const isLate = error.code === "question_not_pending";
    if (!isLeaving && !isLate) this.parent.services.report(error);
  }
}

function reasonFor(
  status: SubagentStatus,
  error: ErrorRecord | undefined,
  timeoutMs: number,
): string | undefined {
  switch (status) {
    case "completed":
      return undefined;
    case "failed":
      return error?.message ?? "It failed.";
    case "timeout":
      return `It was stopped after ${timeoutMs / 1000} s (delegation.timeout).`;
    case "interrupted":
      return "It was stopped before it was done.";
  }
}

function truncateAnswer(text: string, limit: number): string {
  const note = `${text.length - limit} characters are left out; the whole answer is in the subagent's session`;
  return cutMiddle(text, { limit, head: Math.ceil(0.7 * limit), note });
}
