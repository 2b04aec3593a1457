import type { QuestionResolved, Resolution } from "../events/question-events.ts";
import { type SealedSecret, SealingKey } from "../../shared/crypto/sealed-secret.ts";

/** An answer as it reaches the tool that asked; `secret` is the text that the log must never hold. */
export interface Answered {
  readonly resolution: Resolution;
  readonly secret?: string;
}

/** The questions that the running turn waits for. */
export class TurnQuestions {
  readonly #waiting = new Map<string, (answer: Answered) => void>();
  readonly #secrets = new Map<string, string>();
  readonly #keys = new Map<string, SealingKey>();

  /** The answer to a question that is about to be asked, or is open since before a restart. */
  expect(requestId: string): Promise<Answered> {
    const { promise, resolve } = Promise.withResolvers<Answered>();
    this.#waiting.set(requestId, resolve);
    return promise;
  }

  /** The public key to which other processes seal the answer to a question. */
  keyFor(requestId: string): string {
    const key = new SealingKey();
    this.#keys.set(requestId, key);
    return key.publicKey;
  }

  /**
   * Opens a sealed answer, and keeps the secret in it until its resolution is committed; `undefined` when the answer is
   * not for this question.
   */
  open(requestId: string, sealed: SealedSecret): string | undefined {
    const secret = this.#keys.get(requestId)?.open(sealed);
    if (secret !== undefined) this.#secrets.set(requestId, secret);
    return secret;
  }

  /** A resolution is in the log: the tool that waits for it continues. */
  resolved({ requestId, resolution }: QuestionResolved): void {
    const secret = this.#secrets.get(requestId);
    this.#waiting.get(requestId)?.(secret === undefined ? { resolution } : { resolution, secret });
    this.#waiting.delete(requestId);
    this.#secrets.delete(requestId);
    this.#keys.delete(requestId);
  }
}
