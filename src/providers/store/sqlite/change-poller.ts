import type { ChangeWatcher } from "./change-watcher.ts";
import type { OperationContext } from "./operation-context.ts";

/** The shortest and the longest pause between two checks, in milliseconds. */
const SHORTEST_PAUSE = 25;
const LONGEST_PAUSE = 70;
/** After this many checks without a change the pauses are the longest. */
const QUIET_AFTER = 100;

/** A poller of the database for changes by other processes, as long as this host waits for any. */
export class ChangePoller {
  readonly #context: OperationContext;
  readonly #watcher: ChangeWatcher;
  /** SQLite's count of others' commits at the last check. */
  #version = -1;
  #textChanges = 0;
  #timer: NodeJS.Timeout | undefined;
  #quietChecks = 0;

  constructor(context: OperationContext, watcher: ChangeWatcher) {
    this.#context = context;
    this.#watcher = watcher;
  }

  /** Checks at once for what this host itself did about commands, and regularly for what others do. */
  afterBatch(): void {
    this.#safely(() => this.#watcher.checkOwnCommands());
    if (this.#watcher.takeNewInterest()) this.#quietChecks = 0;
    if (this.#timer === undefined && this.#watcher.isWaiting) this.#checkIn(SHORTEST_PAUSE);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#watcher.stop();
  }

  #check(): void {
    this.#timer = undefined;
    if (!this.#watcher.isWaiting) return;
    const began = performance.now();
    this.#safely(() => this.#checkWhenChanged());
    // With very many watched sessions a check must not become all that the thread does.
    const pause = this.#quietChecks > QUIET_AFTER ? LONGEST_PAUSE : 4 * (performance.now() - began);
    this.#checkIn(Math.min(LONGEST_PAUSE, Math.max(SHORTEST_PAUSE, pause)));
  }

  #checkIn(ms: number): void {
    this.#timer = setTimeout(() => this.#check(), ms).unref();
  }

  #safely(check: () => void): void {
    try {
      check();
    } catch {
      // Another process may hold a lock; a worse failure meets the next request too. Check again later.
      this.#version = -1;
    }
  }

  #checkWhenChanged(): void {
    // SQLite's own count of commits by other connections.
    const version = this.#context.database.integer("data_version", "PRAGMA data_version");
    this.#quietChecks += 1;
    const textChanges = this.#watcher.textChanges;
    if (version === this.#version && textChanges === this.#textChanges) return;
    this.#version = version;
    this.#textChanges = textChanges;
    this.#quietChecks = 0;
    this.#watcher.check();
  }
}
