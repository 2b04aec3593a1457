import { HostError } from "../../shared/errors/host-error.ts";
import { nearNames } from "../../shared/text/nearest-name.ts";
import { AGENTS_COMMAND } from "./agents-command.ts";
import { SETTING_COMMANDS } from "./setting-commands.ts";
import { type CommandContext, type SlashCommandResult, done, type SlashCommand } from "./slash-command.ts";
import { CONTEXT_COMMAND } from "./context-command.ts";
import { TASK_COMMANDS } from "./task-commands.ts";
import { INFO_COMMANDS } from "./info-commands.ts";
import { REWIND_COMMANDS } from "./rewind-commands.ts";
import { SESSION_COMMANDS } from "./session-commands.ts";

/** A source of commands that come and go, such as skills: those of one workspace, or of none. A command that stays is the same object. */
export type ExtraCommands = (cwd: string) => readonly SlashCommand[];

/** The slash commands of a host: what there is, which one is meant, and running it. The same on every surface. */
export class SlashCommands {
  /** The further commands: the same ones as long as nothing changed. */
  readonly more: ExtraCommands;

  /** @param more - further commands; of several with one name the first wins, a built-in one before all others; only prompts such as `/review` give way */
  constructor(more: ExtraCommands = () => []) {
    this.more = more;
  }

  /** @param cwd - the workspace, for commands that it brings along; none by default */
  all(cwd = ""): readonly SlashCommand[] {
    const all = new Map<string, SlashCommand>();
    for (const command of [this.#help(cwd), ...BUILT_IN, ...this.more(cwd), ...TASK_COMMANDS])
      if (!all.has(command.name)) all.set(command.name, command);
    return [...all.values()];
  }

  /** The command of a name or alias, with or without slash and in any case, or of a beginning that only one has. */
  resolve(text: string, cwd = ""): SlashCommand | undefined {
    const name = text.replace(/^\//, "").toLowerCase();
    if (name === "") return undefined;
    const all = this.all(cwd);
    const exact = all.find((command) => command.name === name || command.aliases.includes(name));
    if (exact !== undefined) return exact;
    const near = all.filter((command) =>
      [command.name, ...command.aliases].some((each) => each.startsWith(name)),
    );
    // A skill never makes the beginning of a built-in command ambiguous.
    const builtIn = near.filter(({ category }) => category !== "Skills");
    const [only, another] = builtIn.length > 0 ? builtIn : near;
    return another === undefined ? only : undefined;
  }

  /**
   * Runs a command.
   *
   * @param text - `/name argument`, or the same without the slash
   * @throws HostError `unknown_command` with what was probably meant, `command_usage`, and what the command throws
   */
  async dispatch(text: string, context: CommandContext): Promise<SlashCommandResult> {
    const [, name = "", argument = ""] = /^\/?(\S*)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
    const cwd = context.session?.state.cwd ?? context.workspace.cwd;
    const command = this.resolve(name, cwd);
    if (command !== undefined) return await command.run(context, argument.trim());
    const names = this.all(cwd).map((each) => each.name);
    const near = nearNames(name, names).map((each) => `/${each}`);
    const hint = near.length === 0 ? "/help lists all." : `Did you mean ${near.join(" or ")}?`;
    throw new HostError("unknown_command", `Unknown command: /${name}. ${hint}`);
  }

  #help(cwd: string): SlashCommand {
    return {
      name: "help",
      aliases: ["commands"],
      args: "",
      description: "List the commands",
      category: "Info",
      run: () => {
        const lines = this.all(cwd).map(({ name, args, description }) => {
          const usage = `/${name} ${args}`.trim();
          // Usage that is too long for its column has a line of its own.
          const beside =
            usage.length < WIDTH ? `  ${usage.padEnd(WIDTH)}` : `  ${usage}\n  ${"".padEnd(WIDTH)}`;
          return `${beside} ${description}`;
        });
        return Promise.resolve(done(["Commands:", ...lines].join("\n")));
      },
    };
  }
}

const WIDTH = 24;

const BUILT_IN: readonly SlashCommand[] = [
  ...SESSION_COMMANDS,
  ...REWIND_COMMANDS,
  ...AGENTS_COMMAND,
  ...SETTING_COMMANDS,
  ...CONTEXT_COMMAND,
  ...INFO_COMMANDS,
];

/** A prompt that is a command: it starts with a slash, and its first word has no second one. */
export function isSlashCommand(text: string): boolean {
  return /^\/[^\s/]+(\s|$)/.test(text.trim());
}
