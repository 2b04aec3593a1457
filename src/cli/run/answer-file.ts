import { open, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { systemReason } from "../../app/config/home.ts";
import { HostError } from "../../shared/errors/host-error.ts";

/** The file that gets the answer of a run. */
export interface AnswerFile {
  /** @throws HostError `command_usage` when it cannot be written any longer */
  keep(answer: string): Promise<void>;
}

/**
 * Opens the file of `--output-last-message`, before the model is asked.
 *
 * @param cwd - the folder where the command was given, from which the path counts
 * @throws HostError `command_usage` when it cannot be written
 */
export async function answerFile(given: string, cwd: string): Promise<AnswerFile> {
  const path = resolve(cwd, given);
  const refused = (cause: unknown): never => {
    const message = `--output-last-message ${path} cannot be written: ${systemReason(cause)}.`;
    throw new HostError("command_usage", message, { cause });
  };
  // What is in it stays until there is an answer.
  await open(path, "a").then((file) => file.close(), refused);
  return {
    keep: async (answer) => await writeFile(path, answer === "" ? "" : `${answer}\n`).catch(refused),
  };
}
