import type { AppState } from "./state/app-state.ts";
import { reduceAll, type ViewAction } from "./state/reduce.ts";
import { printWholeRows } from "./view/whole-rows.ts";

/** The state of the screen, and who wants to know of it. */
export class ViewStore {
  #state: AppState;
  readonly #listeners = new Set<() => void>();

  constructor(state: AppState) {
    this.#state = state;
  }

  get state(): AppState {
    return this.#state;
  }

  /** Applies what happened to the view. */
  dispatch(...actions: readonly ViewAction[]): void {
    const { view, size } = this.#state;
    this.update({ view: printWholeRows(reduceAll(view, actions), size.columns) });
  }

  /** Changes parts of the screen that are this client's own. */
  update(change: Partial<AppState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly read = (): AppState => this.#state;

  /** Resolves when the state is as wanted, or `signal` aborts. */
  async until(isWanted: (state: AppState) => boolean, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (signal.aborted || isWanted(this.#state)) resolve();
    };
    const leave = this.subscribe(look);
    signal.addEventListener("abort", look, { once: true });
    look();
    await promise;
    leave();
    signal.removeEventListener("abort", look);
  }
}
