import {
  modelChoice,
  type Services,
  type Session,
  type SessionState,
  type SlashCommands,
} from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { LastResult } from "../../shared/memo/last-result.ts";
import type { OfferedCommand, SessionOption, StatusUpdate } from "../projection/status-update.ts";
import type { ModelList } from "./model-list.ts";
import { optionsOf } from "./options.ts";

/** The source of a session's status. */
export type StatusSource = ReturnType<typeof statusSource>;

/** Makes a status out of the host's services, its commands and its models. */
export const statusSource = (services: Services, commands: SlashCommands, list: ModelList) => ({
  options(state: SessionState, last: LastResult<readonly SessionOption[]>): readonly SessionOption[] {
    const [models, policy, listing] = [services.models(), services.policy(), list.now];
    const personas = services.personas?.names() ?? [];
    return last.of([state.settings, models, policy, listing, ...personas], () =>
      optionsOf(state, { models, policy, listing, personas }),
    );
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
  commands(cwd: string, last: LastResult<readonly OfferedCommand[]>): readonly OfferedCommand[] {
    return last.of(commands.more(cwd), () => {
      const offered = commands.all(cwd).filter(({ category }) => category !== "Exit");
      return offered.map(({ name, description, args }) => ({ name, description, args }));
    });
  },
});

/** Record of the status that a client was told, to tell only changes. */
export class StatusTracker {
  readonly #session: Session;
  readonly #source: StatusSource;
  readonly #told = new Map<StatusUpdate["type"], Told>();
  readonly #options = new LastResult<readonly SessionOption[]>();
  readonly #commands = new LastResult<readonly OfferedCommand[]>();

  constructor(session: Session, source: StatusSource) {
    this.#session = session;
    this.#source = source;
  }

  /** The parts of the status that changed since they were told; they count as told from now on. */
  changes(): readonly StatusUpdate[] {
    return this.#statuses().filter((status) => this.#tell(status));
  }

  /** Whether a status is new to the client; it counts as told from now on. */
  #tell(status: StatusUpdate): boolean {
    const before = this.#told.get(status.type);
    const list = listOf(status);
    if (list !== undefined && before?.list === list) return false;
    // Other updates show that something happened in the session: only a new title counts.
    const text = JSON.stringify(status.type === "info" ? (status.title ?? null) : status);
    this.#told.set(status.type, { text, list });
    return before?.text !== text;
  }

  /** The options, for an answer: the client need not be told them again. */
  toldOptions(): readonly SessionOption[] {
    const options = this.#source.options(this.#session.state, this.#options);
    this.#tell({ type: "options", options });
    this.#tell(modeOf(options));
    return options;
  }

  /** The commands, for an answer. */
  toldCommands(): readonly OfferedCommand[] {
    const commands = this.#source.commands(this.#session.state.cwd, this.#commands);
    this.#tell({ type: "commands", commands });
    return commands;
  }

  #statuses(): readonly StatusUpdate[] {
    const { state } = this.#session;
    const options = this.#source.options(state, this.#options);
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
    const commands: StatusUpdate = {
      type: "commands",
      commands: this.#source.commands(state.cwd, this.#commands),
    };
    return [commands, modeOf(options), { type: "options", options }, ...used];
  }
}

/** A status as the client was told it. */
interface Told {
  readonly text: string;
  /** Its list: while it is the same, so is the text. */
  readonly list: unknown;
}

function listOf(status: StatusUpdate): unknown {
  if (status.type === "options") return status.options;
  return status.type === "commands" ? status.commands : undefined;
}

const modeOf = (options: readonly SessionOption[]): StatusUpdate => ({
  type: "mode",
  mode: options.find(({ id }) => id === "mode")?.current ?? "",
});
