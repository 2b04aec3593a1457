import { type Clock, sleep } from "../../shared/async/clock.ts";

/** The answers to people who press a button, on platforms that show it with the answer to their own request. */
export class ClickAnswers {
  readonly #clock: Clock;
  readonly #patienceMs: number;
  /** Requests that wait for what to say, by their ids. */
  readonly #waiting = new Map<string, (text: string) => void>();

  /** @param patienceMs - milliseconds after which nothing is said */
  constructor(clock: Clock, patienceMs: number) {
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  /** What is to be said to a request, or nothing when that takes too long. Ask before the click is handed over. */
  async to(answerId: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const heard = new AbortController();
    this.#waiting.set(answerId, (text) => {
      resolve(text);
      heard.abort();
    });
    void sleep(this.#clock, this.#patienceMs, heard.signal).then(() => resolve(""));
    try {
      return await promise;
    } finally {
      this.#waiting.delete(answerId);
    }
  }

  /** Says it; nobody hears it who does not wait any more. */
  say(answerId: string, text: string): void {
    this.#waiting.get(answerId)?.(text);
  }
}
