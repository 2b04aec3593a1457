/** The subject of a memory's text: `memory` is what the agent learnt, `user` describes the person. */
export type MemoryTarget = "memory" | "user";

/** The name of a text of the memory. */
export interface MemoryName {
  /** Letters, digits, `-` and `_`; empty for the owner's. */
  readonly scope: string;
  readonly target: MemoryTarget;
}

/** A text of the memory with its name. */
export interface NamedText extends MemoryName {
  readonly text: string;
}

/** The keeper of the memory's texts: each is changed as a whole, by any number of processes. */
export interface MemoryTexts {
  /** Where people find them, in words that end a sentence. */
  readonly place: string;
  /** Empty for one that was never written. */
  read(name: MemoryName): Promise<string>;
  /**
   * Changes the text that is there now: what others wrote meanwhile is in it.
   *
   * @param change - may be called again, on a newer text
   * @throws HostError `timeout` while others change it; whatever `change` throws, and then nothing is changed
   */
  change(name: MemoryName, change: (before: string) => string, signal: AbortSignal): Promise<void>;
  /** All of them, in the order of their scopes. */
  all(): Promise<readonly NamedText[]>;
}

export const MEMORY_TARGETS: readonly MemoryTarget[] = ["memory", "user"];
