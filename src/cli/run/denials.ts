import { contentText, type HostOptions } from "../../core/index.ts";

/** A call that was not let run, and why. */
export interface Denial {
  readonly tool: string;
  /** What it would have done, such as the command. */
  readonly label: string;
  readonly reason: string;
}

/**
 * The calls of a process's turns that were not let run: by a rule, or because nobody could be asked. What a person denied is
 * an answer and does not count. Subagents' calls count.
 */
export class Denials {
  readonly #byPerson = new Set<string>();
  readonly #found: Denial[] = [];

  get found(): readonly Denial[] {
    return this.#found;
  }

  /** Looks at a row; told of each that this process commits. */
  readonly observe: NonNullable<HostOptions["observe"]> = (_session, { event }) => {
    if (event.type === "approval.resolved") {
      if (event.resolution.outcome === "answered") this.#byPerson.add(event.callId);
    } else if (event.type === "tool.complete" && event.outcome === "denied") {
      const { callId, name: tool, label, content } = event;
      if (!this.#byPerson.has(callId)) this.#found.push({ tool, label, reason: contentText(content) });
    }
  };
}
