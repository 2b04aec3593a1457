import type { Clock } from "../../shared/async/clock.ts";
import type { OpenQuestion } from "../state/state.ts";

interface Timer {
  readonly cancel: () => void;
  readonly seen: boolean;
}

export interface QuestionLimits {
  readonly unseenMs: number;
  readonly parkMs: number;
}

/**
 * The deadlines of a session's open questions. A question's own time begins when somebody got to see it, at the
 * latest after `unseenMs`; after `parkMs` it is over in any case.
 */
export class QuestionDeadlines {
  readonly #clock: Clock;
  readonly #expire: (requestId: string) => void;
  readonly #timers = new Map<string, Timer>();

  constructor(clock: Clock, expire: (requestId: string) => void) {
    this.#clock = clock;
    this.#expire = expire;
  }

  /** Brings the timers in step with the open questions. */
  update(open: readonly OpenQuestion[], limits: QuestionLimits): void {
    const ids = new Set(open.map(({ request }) => request.requestId));
    for (const [id, { cancel }] of this.#timers) {
      if (ids.has(id)) continue;
      cancel();
      this.#timers.delete(id);
    }
    for (const question of open) {
      const { requestId, timeoutMs } = question.request;
      if (!this.#timers.has(requestId))
        this.#start(question, { ms: limits.unseenMs + timeoutMs, seen: false }, limits);
    }
  }

  /** Somebody got to see the question. */
  seen(question: OpenQuestion, limits: QuestionLimits): void {
    const { requestId, timeoutMs } = question.request;
    const timer = this.#timers.get(requestId);
    if (timer?.seen === true) return;
    timer?.cancel();
    this.#start(question, { ms: timeoutMs, seen: true }, limits);
  }

  close(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #start(
    question: OpenQuestion,
    { ms, seen }: { ms: number; seen: boolean },
    { parkMs }: QuestionLimits,
  ): void {
    const { requestId } = question.request;
    const left = Math.max(0, question.askedAt + parkMs - this.#clock.now());
    const cancel = this.#clock.after(Math.min(ms, left), () => this.#expire(requestId));
    this.#timers.set(requestId, { cancel, seen });
  }
}
