import { defined } from "../../shared/json/defined.ts";
import { type ErrorRecord, HostError } from "../../shared/errors/host-error.ts";
import type { EventNamed, Row } from "../events/events.ts";
import { answerText } from "../log/expand.ts";
import type { SessionLog } from "../log/session-log.ts";
import type { TurnState } from "../state/state.ts";
import { NO_USAGE } from "../events/usage.ts";

/** The end of a turn, and its text. */
export interface TurnResult extends Pick<
  EventNamed<"turn.end">,
  "turnId" | "outcome" | "usage" | "finish" | "error"
> {
  /** All text of the turn joined, equal to its deltas joined. */
  readonly text: string;
}

type Waiter = Pick<PromiseWithResolvers<TurnResult>, "resolve" | "reject">;

const DROPPED: TurnResult = { turnId: "", outcome: "cancelled", text: "", usage: NO_USAGE };

/** The callers who wait for the end of a prompt's turn, in whichever process it runs. */
export class TurnWaiters {
  readonly #log: SessionLog;
  readonly #byPrompt = new Map<string, Waiter[]>();

  constructor(log: SessionLog) {
    this.#log = log;
  }

  get size(): number {
    return this.#byPrompt.size;
  }

  /**
   * The result of the turn that answers this prompt. Ask before its rows can come.
   *
   * @param key - the prompt's id, or that of steering text: then it is the turn that takes it
   */
  wait(key: string): Promise<TurnResult> {
    const waiter = Promise.withResolvers<TurnResult>();
    this.#add(key, [waiter]);
    return waiter.promise;
  }

  awaits(promptId: string): boolean {
    return this.#byPrompt.has(promptId);
  }

  /** Nobody needs the result any more. */
  forget(key: string): void {
    this.#byPrompt.delete(key);
  }

  /** Looks at rows as they are committed; `running` is the turn that ran before them. */
  onRows(rows: readonly Row[], running: Pick<TurnState, "prompt" | "from"> | undefined): void {
    if (this.#byPrompt.size === 0) return;
    let promptId = running?.prompt.id;
    let from = running?.from ?? 0;
    for (const { event, seq } of rows) {
      if (event.type === "turn.start") {
        promptId = event.prompt.id;
        from = seq - 1;
      }
      if (event.type === "steer.accepted" && promptId !== undefined)
        this.#add(promptId, this.#take(event.steerId));
      if (event.type === "prompt.dropped") for (const id of event.promptIds) this.#resolve(id, DROPPED);
      if (event.type !== "turn.end" || promptId === undefined) continue;
      const { turnId, outcome, usage, error, finish } = event;
      const waiters = this.#take(promptId);
      if (waiters.length === 0) continue;
      const result = { turnId, outcome, usage, ...defined({ error, finish }) };
      const start = from;
      void this.#log.rows(start, seq).then(
        (said) =>
          waiters.forEach(({ resolve }) => resolve({ ...result, text: answerText(said, start, seq) })),
        (thrown: unknown) => waiters.forEach(({ reject }) => reject(thrown)),
      );
    }
  }

  /** The end of the running turn cannot be saved: those who wait for it learn why. */
  fail(running: Pick<TurnState, "turnId" | "prompt"> | undefined, error: ErrorRecord): void {
    if (running === undefined) return;
    const { turnId, prompt } = running;
    this.#resolve(prompt.id, { turnId, outcome: "failed", text: "", usage: NO_USAGE, error });
  }

  /** The host closes: nobody will see those turns end here. */
  close(): void {
    const gone = new HostError("draining", "The host was closed before the turn ended.");
    for (const promptId of this.#byPrompt.keys()) for (const { reject } of this.#take(promptId)) reject(gone);
  }

  #resolve(promptId: string, result: TurnResult): void {
    for (const { resolve } of this.#take(promptId)) resolve(result);
  }

  #add(key: string, waiters: readonly Waiter[]): void {
    if (waiters.length > 0) this.#byPrompt.set(key, [...(this.#byPrompt.get(key) ?? []), ...waiters]);
  }

  #take(promptId: string): readonly Waiter[] {
    const waiters = this.#byPrompt.get(promptId) ?? [];
    this.#byPrompt.delete(promptId);
    return waiters;
  }
}
