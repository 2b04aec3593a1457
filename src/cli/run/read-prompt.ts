import { text as readAll } from "node:stream/consumers";
import { HostError } from "../../shared/errors/host-error.ts";
import { type Io, writeLines } from "../../app/process/io.ts";
import { isRunCommand } from "./slash-command.ts";

/**
 * The prompt from the words of the command line, with what is piped in behind it; from stdin when there are none, or for a
 * lone `-`. A `-` behind words waits for stdin, however long that takes; a command gets piped input only for one.
 *
 * @throws HostError `command_usage`
 */
export async function readPrompt(io: Io, words: readonly string[]): Promise<string> {
  const waits = words.at(-1) === "-";
  const typed = typedPrompt(words);
  if (typed !== undefined) {
    if (isRunCommand(typed) && !waits) return typed;
    const given = waits
      ? `${typed}\n\n${(await readAll(io.stdin)).trim()}`.trim()
      : await withPiped(io, typed);
    if (given === "") throw new HostError("command_usage", "The prompt is empty.");
    return given;
  }
  if (io.stdin.isTTY === true && !waits) {
    throw new HostError(
      "command_usage",
      'There is no prompt. Give one: agent run "What changed today?", or pipe it in.',
    );
  }
  const piped = (await readAll(io.stdin)).trim();
  if (piped === "") throw new HostError("command_usage", "There is no prompt: stdin was empty.");
  return piped;
}

/** The prompt that stands on the command line, in one word or several; `undefined` when stdin has all of it. */
export function typedPrompt(words: readonly string[]): string | undefined {
  const typed = words.at(-1) === "-" ? words.slice(0, -1) : words;
  return typed.length === 0 ? undefined : typed.join(" ");
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
