import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Origin } from "../events/prompt.ts";
import type { Host } from "../host.ts";
import type { Session } from "../session.ts";

/** The result of a slash command; its texts are for people. */
export type SlashCommandResult =
  /** `told`: an event of the session says the same to who follows it. */
  | { readonly type: "done"; readonly output: string; readonly told?: true }
  /** Send this as a prompt; `skill` is the one that it brings along. */
  | { readonly type: "send"; readonly message: string; readonly notice?: string; readonly skill?: string }
  /** Put this into the composer; `told`: an event of the session says what the notice does. */
  | { readonly type: "prefill"; readonly message: string; readonly notice?: string; readonly told?: true }
  /** Go on in this session. */
  | { readonly type: "switch"; readonly sessionId: string; readonly output: string }
  | { readonly type: "quit" };

/** The context of a slash command: where and for whom it runs. */
export interface CommandContext {
  readonly host: Host;
  /** The session that the client shows; commands that need one refuse without. */
  readonly session: Session | undefined;
  readonly from: Origin;
  /** The workspace with which a new session of this client is opened. */
  readonly workspace: { readonly cwd: string; readonly roots: readonly string[] };
  readonly signal: AbortSignal;
  /** Ends the background processes of the session; gives their number. */
  readonly stopProcesses: (sessionId: string) => Promise<number>;
}

/** A command that is typed as `/name argument`, on any surface. */
export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly aliases: readonly string[];
  /** A hint such as `<text>` or `[on|off]`; empty when it takes nothing. */
  readonly args: string;
  readonly description: string;
  readonly category:
    | "Session"
    | "Configuration"
    | "Tools & Skills"
    | "Info"
    | "Exit"
    | "User commands"
    | "Skills";
  /** It changes what came before: a prompt that is sent behind it has to wait for it. */
  readonly inOrder?: true;
  run(context: CommandContext, argument: string): Promise<SlashCommandResult>;
}

/** The definition of a built-in command. One that needs a session has `withSession` instead of `run`. */
export type CommandDefinition = Pick<SlashCommand, "name" | "description"> &
  Partial<Pick<SlashCommand, "aliases" | "args" | "inOrder">> &
  (
    | Pick<SlashCommand, "run">
    | {
        withSession(session: Session, argument: string, context: CommandContext): Promise<SlashCommandResult>;
      }
  );

/** Makes the commands of one category. */
export const defineCommands = (
  category: SlashCommand["category"],
  definitions: readonly CommandDefinition[],
): readonly SlashCommand[] =>
  definitions.map((definition) => {
    const { name, aliases = [], args = "", description, inOrder } = definition;
    const run: SlashCommand["run"] =
      "run" in definition
        ? definition.run
        : async (context, argument) =>
            await definition.withSession(requireSession(context, name), argument, context);
    return { name, aliases, args, description, category, run, ...defined({ inOrder }) };
  });

/** Makes the result of a command that is done. */
export const done = (output: string): SlashCommandResult => ({ type: "done", output });

/** @throws HostError `session_not_found` when the client has no session open */
export function requireSession({ session }: CommandContext, command: string): Session {
  if (session !== undefined) return session;
  throw new HostError("session_not_found", `/${command} needs a session: no active session.`);
}

/** @throws HostError `command_usage` when the argument is missing */
export function requireArgument(argument: string, usage: string): string {
  if (argument !== "") return argument;
  throw new HostError("command_usage", `Usage: ${usage}`);
}
