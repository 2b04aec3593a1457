import { HostError } from "../errors.ts";
import { AGENTS_COMMAND } from "./agents-command.ts";
import { BUDGET_COMMAND } from "./budget-command.ts";
import { type CommandContext, type CommandOutcome, done, type SlashCommand } from "./command.ts";
import { INFO_COMMANDS } from "./info-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";
import { SETTING_COMMANDS } from "./setting-commands.ts";

/** The slash commands of a host: what there is, which one is meant, and running it. The same on every surface. */
export class SlashCommands {
  readonly #more: () => readonly SlashCommand[];

  /** @param more - commands that come and go, such as skills; a built-in one of the same name wins */
  constructor(more: () => readonly SlashCommand[] = () => []) {
    this.#more = more;
  }

  all(): readonly SlashCommand[] {
    const names = new Set(BUILT_IN.map(({ name }) => name));
    return [this.#help(), ...BUILT_IN, ...this.#more().filter(({ name }) => !names.has(name))];
  }

  /** The command of a name or alias, with or without slash and in any case, or of a beginning that only one has. */
  resolve(text: string): SlashCommand | undefined {
    const name = text.replace(/^\//, "").toLowerCase();
    if (name === "") return undefined;
    const all = this.all();
    const exact = all.find((command) => command.name === name || command.aliases.includes(name));
    if (exact !== undefined) return exact;
    const [only, another] = all.filter(({ name: full, aliases }) =>
      [full, ...aliases].some((each) => each.startsWith(name)),
    );
    return another === undefined ? only : undefined;
  }

  /**
   * Runs a command.
   *
   * @param text - `/name argument`, or the same without the slash
   * @throws HostError `unknown_command` with what was probably meant, `command_usage`, and what the command throws
   */
  async dispatch(text: string, context: CommandContext): Promise<CommandOutcome> {
    const [, name = "", argument = ""] = /^\/?(\S*)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    const command = this.resolve(name);
    if (command !== undefined) return await command.run(context, argument.trim());
    const near = this.all().filter((each) => each.name.startsWith(name.toLowerCase().slice(0, 2)));
    const hint =
      near.length === 0
        ? "/help lists all."
        : `Did you mean ${near.map((each) => `/${each.name}`).join(", ")}?`;
    throw new HostError("unknown_command", `Unknown command: /${name}. ${hint}`);
  }

  #help(): SlashCommand {
    return {
      name: "help",
      aliases: ["commands"],
      args: "",
      description: "List the commands",
      category: "Info",
      run: () => {
        const lines = this.all().map(
          ({ name, args, description }) => `  ${`/${name} ${args}`.padEnd(WIDTH)} ${description}`,
        );
        return Promise.resolve(done(["Commands:", ...lines].join("\n")));
      },
    };
  }
}

const WIDTH = 34;

const BUILT_IN: readonly SlashCommand[] = [
  ...SESSION_COMMANDS,
  AGENTS_COMMAND,
  ...SETTING_COMMANDS,
  BUDGET_COMMAND,
  ...INFO_COMMANDS,
];

/** A prompt that is a command: it starts with a slash, and its first word has no second one. */
export function isSlashCommand(text: string): boolean {
  return /^\/[^\s/]+(\s|$)/.test(text.trim());
}
