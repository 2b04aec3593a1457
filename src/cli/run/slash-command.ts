import { type CommandContext, type Session, SlashCommands } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { forTerminal } from "../../tui/terminal/terminal-text.ts";
import type { Agent } from "../../app/compose.ts";
import { type Io, write, writeLines } from "../../app/process/io.ts";

/** A name as commands have it: a path, a comment or a lone slash is text. */
const COMMAND = /^\/[\p{L}\p{N}][\p{L}\p{N}_:.-]*(\s|$)/u;

/** Whether an argument of `agent run` is a command, as it is in every client. Piped input is text. */
export const isRunCommand = (argument: string | undefined): argument is string =>
  argument !== undefined && COMMAND.test(argument.trim());

/** The options of a slash command in `agent run`. */
export interface RunCommandOptions {
  readonly command: string;
  /** The one that was named. */
  readonly session: Session | undefined;
  /** Its output is a line of JSON. */
  readonly json: boolean;
}

/**
 * Runs a slash command, whose output goes to stdout.
 *
 * @returns the prompt that it makes, such as a skill's; `undefined` when all is done
 * @throws HostError `unknown_command`, `command_usage`, and what the command throws
 */
export async function runSlashCommand(
  io: Io,
  agent: Agent,
  { command, session, json }: RunCommandOptions,
): Promise<string | undefined> {
  const context: CommandContext = {
    host: agent.host,
    session,
    from: { surface: "cli", client: String(io.pid) },
    workspace: { cwd: io.cwd, roots: [io.cwd] },
    signal: new AbortController().signal,
    stopProcesses: (id) => agent.stopProcesses(id),
  };
  const commands = new SlashCommands(agent.commands);
  const outcome = await commands.dispatch(command, context).catch((thrown: unknown) => {
    if (session !== undefined || !(thrown instanceof HostError) || thrown.code !== "session_not_found")
      throw thrown;
    throw new HostError("command_usage", `${thrown.message} Name one with --session.`, { cause: thrown });
  });
  const print = async (output: string): Promise<undefined> => {
    const line = json ? JSON.stringify({ type: "command", command, output }) : forTerminal(output);
    await write(io.stdout, `${line}\n`);
    return undefined;
  };
  switch (outcome.type) {
    case "send":
      if (outcome.notice !== undefined) await writeLines(io.stderr, `${forTerminal(outcome.notice)}\n`);
      return outcome.message;
    case "done":
    case "switch":
      return await print(outcome.output);
    case "prefill":
      return await print(outcome.message);
    case "quit":
      return undefined;
  }
}
