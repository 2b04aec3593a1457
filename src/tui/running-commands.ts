import type { ViewStore } from "./view-store.ts";

/** Milliseconds after which a command that is not done yet is shown. */
const AT_WORK_MS = 300;

/** The slash commands that the gateway carries out for this client: one that takes long is shown, and can be stopped. */
export class RunningCommands {
  readonly #store: ViewStore;
  readonly #now: () => number;
  readonly #stops = new Map<string, AbortController>();
  #count = 0;

  constructor(store: ViewStore, now: () => number) {
    this.#store = store;
    this.#now = now;
  }

  /** Carries a command out; gives what came of it, and `undefined` when it was stopped. */
  async run<T>(command: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const id = `command-${(this.#count += 1)}`;
    const stop = new AbortController();
    this.#stops.set(id, stop);
    const begins = { type: "command.begins", id, command, at: this.#now() } as const;
    const timer = setTimeout(() => this.#store.dispatch(begins), AT_WORK_MS);
    try {
      return await work(stop.signal);
    } catch (thrown) {
      if (!stop.signal.aborted) throw thrown;
      return undefined;
    } finally {
      clearTimeout(timer);
      this.#stops.delete(id);
      this.#store.dispatch({ type: "command.ends", id });
    }
  }

  /** Stops the newest command that is shown; `false` when there is none. */
  stop(): boolean {
    const shown = this.#store.state.view.commands.at(-1);
    if (shown === undefined) return false;
    this.#stops.get(shown.id)?.abort();
    return true;
  }
}
