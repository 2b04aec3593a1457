import type { Clock } from "../../shared/async/clock.ts";
import type { StoreBackend } from "./operations.ts";

/** A process that answers one question and ends never pays for cleaning. */
const FIRST_AFTER = 60_000;
const EVERY = 24 * 60 * 60_000;
const SHARDS = 256;

/** The cleaner of a home: it works now and then, in steps so small that nobody waits for them. */
export class Sweeper {
  readonly #backend: StoreBackend;
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;
  #stopped = false;

  constructor(backend: StoreBackend, clock: Clock) {
    this.#backend = backend;
    this.#clock = clock;
  }

  start(): void {
    this.#cancel = this.#schedule(FIRST_AFTER);
  }

  /** Deletes the rows and blobs of removed sessions. */
  async purge(): Promise<void> {
    while (await this.#backend.call("purge", {}));
  }

  async sweep(): Promise<void> {
    await this.purge();
    while (await this.#backend.call("expireRecords", { now: this.#clock.now() }));
    for (let shard = 0; shard < SHARDS && !this.#stopped; shard += 1) {
      await this.#backend.call("sweep", {
        now: this.#clock.now(),
        shard: shard.toString(16).padStart(2, "0"),
      });
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel();
  }

  #schedule(ms: number): () => void {
    return this.#clock.after(ms, () => {
      this.sweep()
        // The next sweep tries again.
        .catch(() => undefined)
        .finally(() => {
          if (!this.#stopped) this.#cancel = this.#schedule(EVERY);
        });
    });
  }
}
