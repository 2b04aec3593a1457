/** A queue that runs its tasks one after the other, in the order in which they came. */
export class TaskQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Settles as the task does. A task that fails does not stop the next one. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#last.then(task);
    this.#last = result.then(nothing, nothing);
    return result;
  }

  /** Resolves when all tasks that came until now are over. */
  async idle(): Promise<void> {
    await this.#last;
  }
}

/**
 * A queue for each key: tasks of one key run one after the other, in the order in which they came; tasks of different
 * keys run side by side. A key without tasks is forgotten.
 */
export class KeyedQueue<Key = string> {
  readonly #last = new Map<Key, Promise<void>>();

  /** Keys that have a task which runs or waits. */
  get size(): number {
    return this.#last.size;
  }

  /** Settles as the task does. A task that fails does not stop the next one. */
  run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(task);
    const over = result.then(nothing, nothing).then(() => {
      if (this.#last.get(key) === over) this.#last.delete(key);
    });
    this.#last.set(key, over);
    return result;
  }
}

const nothing = (): void => undefined;
