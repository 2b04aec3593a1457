import { NO_USAGE, type Turn, type TurnResult } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { defined } from "../../shared/json/defined.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";
import type { TurnEnd } from "../projection/turn-end.ts";

/** The end of a prompt for the client that sent it. `dropped`: it never became a turn; `command`: it was a command. */
export type PromptEnd = TurnEnd | { readonly outcome: "dropped" } | { readonly outcome: "command" };

/** A prompt on its way through a session. */
export interface PendingPrompt {
  readonly promptId: string;
  /** Resolves when its turn began and the client was shown that; `false` when it never will. */
  readonly started: Promise<boolean>;
  /** Resolves when it is over and everything that belongs to it was sent. Rejects when it was not taken. */
  readonly ended: Promise<PromptEnd>;
}

interface Entry {
  readonly turn: Turn;
  readonly answered: Promise<void>;
  readonly start: PromiseWithResolvers<boolean>;
  readonly end: PromiseWithResolvers<PromptEnd>;
}

/** Milliseconds after which a stopped prompt is answered, whatever hangs. */
export const PATIENCE_MS = 1900;

/** The prompts of one client in one session that are not answered yet. */
export class PendingPrompts {
  readonly #clock: Clock;
  #onGiveUp: (end: TurnEnd) => void = () => undefined;
  readonly #open = new Map<string, Entry>();
  /** The prompts that were answered though their turns still end. */
  readonly #givenUp = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param run - called from now on for each turn's end that no event tells */
  onGiveUp(run: (end: TurnEnd) => void): void {
    this.#onGiveUp = run;
  }

  add(turn: Turn, { signal, answered }: PromptRequest): PendingPrompt {
    const { promptId } = turn;
    const entry: Entry = { turn, answered, start: Promise.withResolvers(), end: Promise.withResolvers() };
    this.#open.set(promptId, entry);
    // Each version of the protocol waits for one of the two only.
    for (const { promise } of [entry.start, entry.end]) promise.catch(() => undefined);
    turn.accepted.catch((thrown: unknown) => this.#fail(promptId, thrown));
    const cancelTimer = this.#giveUpAfter(promptId, signal);
    entry.end.promise.then(cancelTimer, cancelTimer);
    return { promptId, started: entry.start.promise, ended: entry.end.promise };
  }

  /** Whether the client waits for this prompt. */
  has(promptId: string): boolean {
    return this.#open.has(promptId);
  }

  open(): readonly string[] {
    return [...this.#open.keys()];
  }

  turns(): readonly Turn[] {
    return [...this.#open.values()].map(({ turn }) => turn);
  }

  /** Resolves when every prompt that is open now is over. */
  async allEnded(): Promise<void> {
    await Promise.allSettled(this.#open.values().map(({ end }) => end.promise));
  }

  /** Whether this prompt was answered though its turn still ends: the client hears no more of that turn. */
  isGivenUp(promptId: string): boolean {
    return this.#givenUp.has(promptId);
  }

  started(promptId: string): void {
    this.#open.get(promptId)?.start.resolve(true);
  }

  /** Ends the prompt of a turn that is over; resolves when the client was answered, if it waits for that. */
  async ended(end: TurnEnd): Promise<void> {
    this.#givenUp.delete(end.promptId);
    const entry = this.#open.get(end.promptId);
    this.#settle(end.promptId, end);
    await entry?.answered;
  }

  dropped(promptIds: readonly string[]): void {
    for (const promptId of promptIds) this.#settle(promptId, { outcome: "dropped" });
  }

  /** Ends the prompt of a turn whose end is in no log, because nothing can be saved. */
  unsaved(promptId: string, { turnId, outcome, usage, error }: TurnResult): void {
    if (!this.#open.has(promptId)) return;
    this.#giveUp({ promptId, turnId, outcome, usage, ...defined({ error }) });
  }

  /** Fails all prompts, because their ends can no longer be seen. */
  failAll(thrown: unknown): void {
    for (const promptId of this.#open.keys()) this.#fail(promptId, thrown);
  }

  #giveUp(end: TurnEnd): void {
    this.#onGiveUp(end);
    this.#givenUp.add(end.promptId);
    this.#settle(end.promptId, end);
  }

  #settle(promptId: string, end: PromptEnd): void {
    const entry = this.#open.get(promptId);
    this.#open.delete(promptId);
    entry?.start.resolve(end.outcome !== "dropped");
    entry?.end.resolve(end);
  }

  #fail(promptId: string, thrown: unknown): void {
    const entry = this.#open.get(promptId);
    this.#open.delete(promptId);
    entry?.start.reject(thrown);
    entry?.end.reject(thrown);
  }

  /** Ends the prompt of a turn that was stopped and does not end in time. */
  #giveUpAfter(promptId: string, signal: AbortSignal): () => void {
    let cancelTimer = (): void => undefined;
    const wait = (): void => {
      cancelTimer = this.#clock.after(PATIENCE_MS, () => {
        this.#giveUp({ promptId, turnId: "", outcome: "cancelled", usage: NO_USAGE });
      });
    };
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
    return () => {
      signal.removeEventListener("abort", wait);
      cancelTimer();
    };
  }
}
