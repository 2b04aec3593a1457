import { text as readAll } from "node:stream/consumers";
import { HostError } from "../../shared/errors/host-error.ts";
import { type Io, writeLines } from "../../app/process/io.ts";
import { isRunCommand } from "./slash-command.ts";

/** The words of the command line that make the prompt. */
interface PromptWords {
  readonly prompt?: string;
  /** The words after the prompt: none, or `-` for what stdin says, however long that takes. */
  readonly input: readonly string[];
}

/**
 * The prompt from the argument, with what is piped in behind it; from stdin when there is none, or when it is `-`. A command
 * gets piped input only for a `-` behind it.
 *
 * @throws HostError `command_usage`
 */
export async function readPrompt(io: Io, { prompt: argument, input }: PromptWords): Promise<string> {
  const [dash, ...more] = input;
  if (more.length > 0 || (dash !== undefined && dash !== "-"))
    throw new HostError(
      "command_usage",
      "A prompt is one argument: put it into quotes. Only `-` may stand after it, for what stdin says.",
    );
  if (argument !== undefined && argument !== "-") {
    if (isRunCommand(argument) && dash === undefined) return argument;
    const given =
      dash === undefined
        ? await withPiped(io, argument)
        : `${argument}\n\n${(await readAll(io.stdin)).trim()}`.trim();
    if (given === "") throw new HostError("command_usage", "The prompt is empty.");
    return given;
  }
  if (io.stdin.isTTY === true && argument === undefined) {
    throw new HostError(
      "command_usage",
      'There is no prompt. Give one: agent run "What changed today?", or pipe it in.',
    );
  }
  const piped = (await readAll(io.stdin)).trim();
  if (piped === "") throw new HostError("command_usage", "There is no prompt: stdin was empty.");
  return piped;
}

async function withPiped(io: Io, prompt: string): Promise<string> {
  if (io.stdin.isTTY === true) return prompt;
  const { readPiped } = await import("../../app/process/piped-input.ts");
  const { text, gaveUp } = await readPiped(io);
  if (gaveUp)
    await writeLines(
      io.stderr,
      "agent: stdin is open and nothing came from it: the prompt goes without it. `-` after the prompt waits for it, `< /dev/null` spares the wait.\n",
    );
  return `${prompt}\n\n${text.trim()}`.trim();
}
