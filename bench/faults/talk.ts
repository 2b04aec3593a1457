import { setTimeout as pause } from "node:timers/promises";
import type { AskedPrompt, KeptLine, ShownText, ToldEnd } from "./history.ts";
import { tokensOf } from "./history.ts";

/** A conversation with an agent over its own protocol, as a client of it has one. */
export interface Talk {
  readonly record: TalkRecord;
  /**
   * Sends a prompt, with the id by which the protocol knows that it is the same one where it has such. Resolves when the
   * agent confirmed it, or began to answer.
   */
  send(number: number, options?: { readonly giveUpMs?: number }): Promise<void>;
  /** Comes back after the agent or the connection was away, as the protocol has it. */
  reconnect(): Promise<void>;
  /** Takes nothing more of what the agent says, or takes it again. */
  hold(isHeld: boolean): void;
  /** Stops the turn, as a person does who has waited long enough. */
  stop(): Promise<void>;
  /** Reads the conversation back. */
  kept(): Promise<readonly KeptLine[]>;
  close(): void;
}

/** All that a client sent and was shown. */
export class TalkRecord {
  readonly shown: ShownText[] = [];
  /** What stands on the client's screen. */
  view = "";
  readonly #prompts = new Map<number, AskedPrompt>();
  readonly #ends = new Map<number, PromiseWithResolvers<ToldEnd>>();
  readonly #looks = new Set<() => void>();

  get prompts(): readonly AskedPrompt[] {
    return [...this.#prompts.values()];
  }

  ask(number: number, tokens: number): void {
    this.#prompts.set(number, { number, tokens, accepted: false, end: "untold" });
    this.#ends.set(number, Promise.withResolvers());
  }

  accept(number: number): void {
    this.#change(number, { accepted: true });
  }

  /** Notes the end of a turn; the first that was told counts. */
  end(number: number, end: ToldEnd, why?: string): void {
    const ended = this.#ends.get(number);
    if (ended === undefined || this.#prompts.get(number)?.end !== "untold") return;
    this.#change(number, why === undefined ? { end } : { end, why });
    ended.resolve(end);
  }

  async ended(number: number): Promise<ToldEnd> {
    return (await this.#ends.get(number)?.promise) ?? "untold";
  }

  show(text: string): void {
    if (text === "") return;
    this.shown.push({ type: "more", text });
    this.view += text;
    for (const look of this.#looks) look();
  }

  showInstead(text: string): void {
    this.shown.push({ type: "instead", text });
    this.view = text;
    for (const look of this.#looks) look();
  }

  /** Resolves when so many tokens of a reply are shown. */
  async saw(number: number, tokens: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (tokensOf(this.view).filter(({ prompt }) => prompt === number).length >= tokens) resolve();
    };
    this.#looks.add(look);
    look();
    await promise;
    this.#looks.delete(look);
  }

  #change(number: number, change: Partial<AskedPrompt>): void {
    const known = this.#prompts.get(number);
    if (known !== undefined) this.#prompts.set(number, { ...known, ...change });
  }
}

/** Whether something came to its end in its time. */
export async function inTime(work: Promise<unknown>, ms: number): Promise<boolean> {
  const over = new AbortController();
  const late = pause(ms, false, { signal: over.signal }).catch(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    over.abort();
  }
}

/** The words of a prompt. */
export const promptText = (number: number): string => `Please answer prompt-${number} now.`;
