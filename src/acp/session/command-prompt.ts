import {
  type CommandContext,
  type SlashCommands,
  type UserPart,
  isSlashCommand,
  textPart,
} from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { fenced } from "../projection/content-blocks.ts";

/** What a prompt that is a command leads to: words for the thread, and perhaps a prompt for the model. */
export interface CommandResult {
  readonly said?: string;
  readonly prompt?: readonly UserPart[];
}

/** The command that a prompt is; `undefined` when it is none. */
export function commandIn(parts: readonly UserPart[]): string | undefined {
  const [only, ...others] = parts;
  if (only?.type !== "text" || others.length > 0) return undefined;
  return isSlashCommand(only.text) ? only.text : undefined;
}

/** Runs a command. What was wrong with how it was written is told in the thread, like any other output. */
export async function runCommand(
  text: string,
  commands: SlashCommands,
  context: CommandContext,
): Promise<CommandResult> {
  try {
    const outcome = await commands.dispatch(text, context);
    switch (outcome.type) {
      case "done":
        return { said: shown(outcome.output) };
      case "send":
        return {
          prompt: [textPart(outcome.message)],
          ...(outcome.notice === undefined ? {} : { said: outcome.notice }),
        };
      case "prefill":
        return { said: `${outcome.notice ?? "It was:"}\n\n${fenced(outcome.message)}` };
      case "switch":
        return {
          said: `${outcome.output} Open session ${outcome.sessionId} from your editor's list of sessions.`,
        };
      case "quit":
        return { said: "Close the session in your editor; it is kept." };
    }
  } catch (thrown) {
    if (!(thrown instanceof HostError) || !TOLD.has(thrown.code)) throw thrown;
    return { said: thrown.message };
  }
}

const TOLD = new Set<HostError["code"]>([
  "unknown_command",
  "command_usage",
  "not_found",
  // Not the session that the prompt is for, which an editor would take for lost.
  "session_not_found",
  "model_unknown",
  "nothing_to_undo",
  "nothing_to_branch",
  "session_busy",
  "invalid_title",
]);

/** Output in columns keeps its lines. */
const shown = (output: string): string => (output.includes("\n") ? fenced(output) : output);
