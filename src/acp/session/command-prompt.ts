import {
  type CommandContext,
  type SlashCommands,
  type UserPart,
  isSlashCommand,
  textPart,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import { fenced } from "../projection/content-blocks.ts";

/** The result of a prompt that is a command: output for the thread, and perhaps a prompt for the model. */
export interface PromptedCommand {
  readonly output?: string;
  readonly prompt?: readonly UserPart[];
  /** The session that it leads to. */
  readonly opened?: string;
}

/** The command that a prompt is; `undefined` when it is none. */
export function commandIn(parts: readonly UserPart[]): string | undefined {
  const [only, ...others] = parts;
  if (only?.type !== "text" || others.length > 0) return undefined;
  return isSlashCommand(only.text) ? only.text : undefined;
}

/** Runs a command. A mistake in how it was written is shown in the thread, like any other output. */
export async function runPromptedCommand(
  text: string,
  commands: SlashCommands,
  context: CommandContext,
): Promise<PromptedCommand> {
  try {
    const outcome = await commands.dispatch(text, context);
    switch (outcome.type) {
      case "done":
        // Output in columns keeps its lines.
        return { output: outcome.output.includes("\n") ? fenced(outcome.output) : outcome.output };
      case "send":
        return { prompt: [textPart(outcome.message)], ...defined({ output: outcome.notice }) };
      case "prefill":
        return { output: `${outcome.notice ?? "It was:"}\n\n${fenced(outcome.message)}` };
      case "switch":
        return {
          output: `${outcome.output} Open session ${outcome.sessionId} from your editor's list of sessions.`,
          opened: outcome.sessionId,
        };
      case "quit":
        return { output: "Close the session in your editor; it is kept." };
    }
  } catch (thrown) {
    if (!(thrown instanceof HostError) || !SHOWN_ERRORS.has(thrown.code)) throw thrown;
    return { output: thrown.message };
  }
}

const SHOWN_ERRORS = new Set<HostError["code"]>([
  "unknown_command",
  "command_usage",
  "not_found",
  // It is about another session; as an error, an editor would take it for this one.
  "session_not_found",
  "model_unknown",
  "nothing_to_undo",
  "nothing_to_branch",
  "session_busy",
  "invalid_title",
]);
