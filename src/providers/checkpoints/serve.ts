import { setImmediate } from "node:timers/promises";
import type { CheckpointEngine } from "./engine.ts";
import type { CallName, ThreadCalls } from "./messages.ts";

/** Milliseconds between two signs of life of steps at work. */
const BEAT_MS = 1000;

type Calls = {
  readonly [K in CallName]: (input: ThreadCalls[K]["input"]) => Promise<ThreadCalls[K]["value"]>;
};

/** The calls of an engine, one after the other; the first look at a workspace goes on in between. */
export class CheckpointServer {
  readonly #engine: CheckpointEngine;
  readonly #patienceMs: number;
  readonly #reading = new Map<string, Promise<void>>();
  readonly #beat: NodeJS.Timeout;
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(engine: CheckpointEngine, patienceMs: number) {
    this.#engine = engine;
    this.#patienceMs = patienceMs;
    this.#beat = setInterval(() => this.#engine.beat(), BEAT_MS);
    this.#beat.unref();
  }

  readonly calls: Calls = {
    prepare: (roots) => {
      void this.#read(roots);
      return Promise.resolve(null);
    },
    before: async ({ change, running }) => {
      if (change.paths === undefined) await this.#waitFor(this.#read(change.roots));
      return await this.#inTurn(() => this.#engine.before(change, running));
    },
    after: ({ mark, goesOn }) => this.#done(() => this.#engine.after(mark, goesOn)),
    turns: (session) => this.#inTurn(() => this.#engine.turns(session)),
    diff: ({ past, limit }) => this.#inTurn(() => this.#engine.diff(past, limit)),
    preview: (wish) => this.#inTurn(() => this.#engine.preview(wish)),
    restore: (wish) => this.#inTurn(() => this.#engine.restore(wish)),
    copy: ({ from, to, upTo }) => this.#done(() => this.#engine.copy(from, to, upTo)),
    forget: (session) => this.#done(() => this.#engine.forget(session)),
    close: () =>
      this.#done(() => {
        this.#closed = true;
        clearInterval(this.#beat);
        this.#engine.close();
      }),
  };

  #inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const next = this.#turn.then(work);
    this.#turn = next.catch(() => undefined);
    return next;
  }

  async #done(work: () => void): Promise<null> {
    await this.#inTurn(work);
    return null;
  }

  /** The first look at a session's workspace, to its end. */
  #read(roots: readonly string[]): Promise<void> {
    const key = JSON.stringify(roots);
    const reading = this.#reading.get(key) ?? this.#readOn(roots);
    this.#reading.set(key, reading);
    return reading;
  }

  async #readOn(roots: readonly string[]): Promise<void> {
    try {
      while (!this.#closed && !(await this.#inTurn(() => this.#closed || this.#engine.readMore(roots))))
        await setImmediate();
    } catch (thrown) {
      // The next command tries anew, and says what is wrong.
      this.#reading.delete(JSON.stringify(roots));
      throw thrown;
    }
  }

  async #waitFor(reading: Promise<void>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, this.#patienceMs);
    try {
      await Promise.race([reading, late.promise]);
    } finally {
      clearTimeout(timer);
      reading.catch(() => undefined);
    }
  }
}
