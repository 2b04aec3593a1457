import { NO_USAGE, type Turn, type TurnResult } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import type { TurnEnd } from "../projection/conversation-update.ts";
import type { PromptRequest } from "../connection/prompt-requests.ts";

/** How a prompt ended for the client that sent it; `dropped`: it never became a turn; `command`: it was none. */
export type PromptEnd = TurnEnd | { readonly outcome: "dropped" } | { readonly outcome: "command" };

/** A prompt that is on its way through a session. */
export interface PendingPrompt {
  readonly promptId: string;
  /** Its turn began, and the client was shown so; `false` when it never will. */
  readonly started: Promise<boolean>;
  /** It is over, and everything that belongs to it was sent. Rejects when it was not taken. */
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

/** The prompts that one client has open in one session, and those whose turns have nothing more to say to it. */
export class PendingPrompts {
  readonly #clock: Clock;
  #gaveUp: (end: TurnEnd) => void = () => undefined;
  readonly #open = new Map<string, Entry>();
  readonly #given = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param tell - told from now on of each turn's end that no event tells */
  onGiveUp(tell: (end: TurnEnd) => void): void {
    this.#gaveUp = tell;
  }

  /** Watches over a prompt that was just submitted. */
  add(turn: Turn, { signal, answered }: PromptRequest): PendingPrompt {
    const { promptId } = turn;
    const entry: Entry = { turn, answered, start: Promise.withResolvers(), end: Promise.withResolvers() };
    this.#open.set(promptId, entry);
    // Whoever answers only looks at one of the two.
    for (const { promise } of [entry.start, entry.end]) promise.catch(() => undefined);
    turn.accepted.catch((thrown: unknown) => this.#fail(promptId, thrown));
    const cancelTimer = this.#giveUpAfter(promptId, signal);
    entry.end.promise.then(cancelTimer, cancelTimer);
    return { promptId, started: entry.start.promise, ended: entry.end.promise };
  }

  /** The client waits for this prompt. */
  has(promptId: string): boolean {
    return this.#open.has(promptId);
  }

  /** The ids of the prompts that the client waits for. */
  open(): readonly string[] {
    return [...this.#open.keys()];
  }

  /** The turns of those prompts. */
  turns(): readonly Turn[] {
    return [...this.#open.values()].map(({ turn }) => turn);
  }

  /** Resolves when every prompt that is open now is over. */
  async allEnded(): Promise<void> {
    await Promise.allSettled(this.#open.values().map(({ end }) => end.promise));
  }

  /** The client was told that this prompt is over though its turn still ends: it hears no more of it. */
  isGiven(promptId: string): boolean {
    return this.#given.has(promptId);
  }

  started(promptId: string): void {
    this.#open.get(promptId)?.start.resolve(true);
  }

  /** A turn is over; resolves when the client was told so, if it waits for that. */
  async ended(end: TurnEnd): Promise<void> {
    this.#given.delete(end.promptId);
    const entry = this.#open.get(end.promptId);
    this.#settle(end.promptId, end);
    await entry?.answered;
  }

  dropped(promptIds: readonly string[]): void {
    for (const promptId of promptIds) this.#settle(promptId, { outcome: "dropped" });
  }

  /** A turn ended in a way that is in no log, because nothing can be saved. */
  unsaved(promptId: string, { turnId, outcome, usage, error }: TurnResult): void {
    if (!this.#open.has(promptId)) return;
    this.#giveUp({ promptId, turnId, outcome, usage, ...(error === undefined ? {} : { error }) });
  }

  /** Nothing more can be learned of the open prompts. */
  failAll(thrown: unknown): void {
    for (const promptId of this.#open.keys()) this.#fail(promptId, thrown);
  }

  #giveUp(end: TurnEnd): void {
    this.#gaveUp(end);
    this.#given.add(end.promptId);
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

  /** Answers for a turn that was stopped and does not end. */
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
