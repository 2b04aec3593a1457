import type { SessionState } from "../../core/index.ts";
import type { OfferedCommand, SessionOption, StatusUpdate } from "../projection/status-update.ts";

/** What a session's status is made of. */
export interface StatusSources {
  options(state: SessionState): readonly SessionOption[];
  /** Tokens that fit into the context of the session's model; 0 when that is not known. */
  contextLength(state: SessionState): number;
  commands(cwd: string): readonly OfferedCommand[];
}

/** Remembers what a client was told of a session's status, and says what is new. */
export class StatusTracker {
  readonly #sources: StatusSources;
  readonly #told = new Map<StatusUpdate["type"], string>();

  constructor(sources: StatusSources) {
    this.#sources = sources;
  }

  /** What differs from what was told; it counts as told from now on. */
  news(state: SessionState): readonly StatusUpdate[] {
    return this.#statuses(state).filter((status) => {
      // That something happened in a session its own updates say: only a new title is news.
      const text = JSON.stringify(status.type === "info" ? status.title : status);
      if (this.#told.get(status.type) === text) return false;
      this.#told.set(status.type, text);
      return true;
    });
  }

  /** The client learns of the options by an answer. */
  toldOptions(state: SessionState): readonly SessionOption[] {
    const options = this.#sources.options(state);
    this.#told.set("options", JSON.stringify({ type: "options", options }));
    this.#told.set("mode", JSON.stringify(modeOf(options)));
    return options;
  }

  /** The client learns of the commands by an answer. */
  toldCommands({ cwd }: SessionState): readonly OfferedCommand[] {
    const commands = this.#sources.commands(cwd);
    this.#told.set("commands", JSON.stringify({ type: "commands", commands }));
    return commands;
  }

  #statuses(state: SessionState): readonly StatusUpdate[] {
    const options = this.#sources.options(state);
    const updatedAt = new Date(state.activeAt).toISOString();
    const title = state.title === "" ? null : state.title;
    const size = this.#sources.contextLength(state);
    const { contextTokens, usage, counts } = state;
    const cost = usage.cost === undefined || usage.calls === 0 ? {} : { cost: usage.cost };
    // Before the first turn there is nothing to tell but what can be chosen.
    const lived: readonly StatusUpdate[] =
      counts.turns === 0 && title === null
        ? []
        : [
            ...(size === 0 ? [] : [{ type: "usage", used: contextTokens, size, ...cost } as const]),
            { type: "info", title, updatedAt },
          ];
    const commands: StatusUpdate = { type: "commands", commands: this.#sources.commands(state.cwd) };
    return [commands, modeOf(options), { type: "options", options }, ...lived];
  }
}

function modeOf(options: readonly SessionOption[]): StatusUpdate {
  return { type: "mode", mode: options.find(({ id }) => id === "mode")?.current ?? "" };
}
