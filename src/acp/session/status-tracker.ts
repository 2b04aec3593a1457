import {
  modelChoice,
  type Services,
  type Session,
  type SessionState,
  type SlashCommands,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import type { OfferedCommand, SessionOption, StatusUpdate } from "../projection/status-update.ts";
import type { ModelList } from "./model-list.ts";
import { optionsOf } from "./options.ts";

/** The source of a session's status. */
export type StatusSource = ReturnType<typeof statusSource>;

/** Makes a status out of the host's services, its commands and its models. */
export const statusSource = (services: Services, commands: SlashCommands, list: ModelList) => ({
  options(state: SessionState): readonly SessionOption[] {
    const { models, policy, personas } = services;
    const names = personas?.names() ?? [];
    return optionsOf(state, { models: models(), policy: policy(), listing: list.now, personas: names });
  },
  /** Tokens that fit into the context of the session's model; 0 when that is not known. */
  contextLength(state: SessionState): number {
    try {
      return services.models().resolve(modelChoice(state)).contextLength;
    } catch {
      // No usable model is configured; the next prompt says so.
      return 0;
    }
  },
  /** The commands that make sense in an editor. */
  commands(cwd: string): readonly OfferedCommand[] {
    const offered = commands.all(cwd).filter(({ category }) => category !== "Exit");
    return offered.map(({ name, description, args }) => ({ name, description, args }));
  },
});

/** Record of the status that a client was told, to tell only changes. */
export class StatusTracker {
  readonly #session: Session;
  readonly #source: StatusSource;
  /** The last status of each type, as JSON. */
  readonly #told = new Map<StatusUpdate["type"], string>();

  constructor(session: Session, source: StatusSource) {
    this.#session = session;
    this.#source = source;
  }

  /** The parts of the status that changed since they were told; they count as told from now on. */
  changes(): readonly StatusUpdate[] {
    return this.#statuses().filter((status) => {
      // Other updates show that something happened in the session: only a new title counts.
      const text = JSON.stringify(status.type === "info" ? (status.title ?? null) : status);
      if (this.#told.get(status.type) === text) return false;
      this.#told.set(status.type, text);
      return true;
    });
  }

  /** The options, for an answer: the client need not be told them again. */
  toldOptions(): readonly SessionOption[] {
    const options = this.#source.options(this.#session.state);
    this.#told.set("options", JSON.stringify({ type: "options", options }));
    this.#told.set("mode", JSON.stringify(modeOf(options)));
    return options;
  }

  /** The commands, for an answer. */
  toldCommands(): readonly OfferedCommand[] {
    const commands = this.#source.commands(this.#session.state.cwd);
    this.#told.set("commands", JSON.stringify({ type: "commands", commands }));
    return commands;
  }

  #statuses(): readonly StatusUpdate[] {
    const { state } = this.#session;
    const options = this.#source.options(state);
    const updatedAt = new Date(state.activeAt).toISOString();
    // The absence of a title is told to a client that knows one.
    const noTitle = this.#told.has("info") ? null : undefined;
    const title = state.title === "" ? noTitle : state.title;
    const size = this.#source.contextLength(state);
    const { contextTokens, usage, counts } = state;
    const cost = usage.calls === 0 ? undefined : usage.cost;
    // Before the first turn only options and commands are told.
    const used: readonly StatusUpdate[] =
      counts.turns === 0 && title === undefined
        ? []
        : [
            ...(size === 0
              ? []
              : [{ type: "usage", used: contextTokens, size, ...defined({ cost }) } as const]),
            { type: "info", ...defined({ title }), updatedAt },
          ];
    const commands: StatusUpdate = { type: "commands", commands: this.#source.commands(state.cwd) };
    return [commands, modeOf(options), { type: "options", options }, ...used];
  }
}

const modeOf = (options: readonly SessionOption[]): StatusUpdate => ({
  type: "mode",
  mode: options.find(({ id }) => id === "mode")?.current ?? "",
});
