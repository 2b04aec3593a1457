import type { StoreBackend } from "./operations.ts";

/** The listeners for rows that other processes append to sessions. */
export class SessionWatchers {
  readonly #backend: StoreBackend;
  readonly #sessions = new Map<string, Set<() => void>>();

  constructor(backend: StoreBackend) {
    this.#backend = backend;
  }

  add(session: string, moved: () => void, signal: AbortSignal): void {
    if (signal.aborted) return;
    // The same function may be given twice, and each time has its own signal.
    const listener = (): void => moved();
    const listeners = this.#sessions.get(session) ?? new Set();
    listeners.add(listener);
    if (listeners.size === 1) {
      this.#sessions.set(session, listeners);
      this.#tell("watch", session);
    }
    const leave = (): void => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      this.#sessions.delete(session);
      this.#tell("unwatch", session);
    };
    signal.addEventListener("abort", leave, { once: true });
  }

  moved(session: string): void {
    for (const listener of this.#sessions.get(session) ?? []) listener();
  }

  #tell(what: "watch" | "unwatch", session: string): void {
    // A store that fails says so to its next caller.
    this.#backend.call(what, { session }).catch(() => undefined);
  }
}
