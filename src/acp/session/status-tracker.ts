import type { Services, SessionState, SlashCommands } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { OfferedCommand, SessionOption, StatusUpdate } from "../projection/status-update.ts";
import type { ModelList } from "./model-list.ts";
import { optionsOf } from "./options.ts";

/** The sources of a session's status. */
export interface StatusSources {
  options(state: SessionState): readonly SessionOption[];
  /** Tokens that fit into the context of the session's model; 0 when that is not known. */
  contextLength(state: SessionState): number;
  commands(cwd: string): readonly OfferedCommand[];
}

/** Takes a session's status from the host's services. */
export function statusSources(
  services: Services,
  { commands, models }: { readonly commands: SlashCommands; readonly models: ModelList },
): StatusSources {
  return {
    options: (state) =>
      optionsOf(state, { models: services.models(), policy: services.policy(), listing: models.now }),
    contextLength: ({ settings }) => {
      try {
        return services.models().resolve(settings).contextLength;
      } catch {
        // No usable model is configured; the next prompt says so.
        return 0;
      }
    },
    commands: (cwd) =>
      commands
        .all(cwd)
        .flatMap(({ name, description, args, category }) =>
          category === "Exit" ? [] : [{ name, description, args }],
        ),
  };
}

/** Record of the status that a client was told, to tell only changes. */
export class StatusTracker {
  readonly #sources: StatusSources;
  /** The last status of each type, as JSON. */
  readonly #told = new Map<StatusUpdate["type"], string>();

  constructor(sources: StatusSources) {
    this.#sources = sources;
  }

  /** The parts of the status that changed since they were told; they count as told from now on. */
  changes(state: SessionState): readonly StatusUpdate[] {
    return this.#statuses(state).filter((status) => {
      // Other updates show that something happened in the session: only a new title counts.
      const text = JSON.stringify(status.type === "info" ? status.title : status);
      if (this.#told.get(status.type) === text) return false;
      this.#told.set(status.type, text);
      return true;
    });
  }

  /** The options, which an answer tells the client. */
  toldOptions(state: SessionState): readonly SessionOption[] {
    const options = this.#sources.options(state);
    this.#told.set("options", JSON.stringify({ type: "options", options }));
    this.#told.set("mode", JSON.stringify(modeOf(options)));
    return options;
  }

  /** The commands, which an answer tells the client. */
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
    const cost = usage.calls === 0 ? undefined : usage.cost;
    // Before the first turn only options and commands are told.
    const used: readonly StatusUpdate[] =
      counts.turns === 0 && title === null
        ? []
        : [
            ...(size === 0
              ? []
              : [{ type: "usage", used: contextTokens, size, ...defined({ cost }) } as const]),
            { type: "info", title, updatedAt },
          ];
    const commands: StatusUpdate = { type: "commands", commands: this.#sources.commands(state.cwd) };
    return [commands, modeOf(options), { type: "options", options }, ...used];
  }
}

function modeOf(options: readonly SessionOption[]): StatusUpdate {
  return { type: "mode", mode: options.find(({ id }) => id === "mode")?.current ?? "" };
}
