import type { Clock } from "../../shared/async/clock.ts";
import type { Policy } from "../ports/policy.ts";
import type { OpenQuestion } from "../state/state.ts";

interface Timer {
  readonly cancel: () => void;
  readonly seen: boolean;
}

/** The parts of the host that deadlines are kept with. */
interface DeadlinePorts {
  readonly clock: Clock;
  readonly policy: () => Policy;
}

/**
 * The deadlines of a session's open questions. A question's own time begins when somebody got to see it, at the
 * latest after `unseenMs`; after `parkMs` it is over in any case.
 */
export class QuestionDeadlines {
  readonly #ports: DeadlinePorts;
  readonly #expire: (requestId: string) => void;
  readonly #timers = new Map<string, Timer>();

  constructor(ports: DeadlinePorts, expire: (requestId: string) => void) {
    this.#ports = ports;
    this.#expire = expire;
  }

  /** Brings the timers in step with the open questions. */
  update(open: readonly OpenQuestion[]): void {
    if (open.length === 0) return this.close();
    const ids = new Set(open.map(({ request }) => request.requestId));
    for (const [id, { cancel }] of this.#timers) {
      if (ids.has(id)) continue;
      cancel();
      this.#timers.delete(id);
    }
    const { unseenMs } = this.#ports.policy().questions;
    for (const question of open) {
      const { requestId, timeoutMs } = question.request;
      if (!this.#timers.has(requestId)) this.#start(question, { ms: unseenMs + timeoutMs, seen: false });
    }
  }

  /** Somebody got to see the question. */
  seen(question: OpenQuestion): void {
    const { requestId, timeoutMs } = question.request;
    const timer = this.#timers.get(requestId);
    if (timer?.seen === true) return;
    timer?.cancel();
    this.#start(question, { ms: timeoutMs, seen: true });
  }

  close(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  #start(
    { request, askedAt }: OpenQuestion,
    { ms, seen }: { readonly ms: number; readonly seen: boolean },
  ): void {
    const { clock, policy } = this.#ports;
    const left = Math.max(0, askedAt + policy().questions.parkMs - clock.now());
    const cancel = clock.after(Math.min(ms, left), () => this.#expire(request.requestId));
    this.#timers.set(request.requestId, { cancel, seen });
  }
}
