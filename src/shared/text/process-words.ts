/** The end of a process: its exit code, or the signal that ended it. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** It ended because the agent did that ran it. */
  readonly withHost?: true;
}

/** Says how a process ended, behind its name. */
export function processEndWords({ exitCode, signal, withHost }: ProcessEnd): string {
  if (withHost === true) return "ended with the agent that ran it";
  return exitCode === null ? `ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
}

/** Characters of a command that are enough to know it by. */
const KNOWN_BY = 200;

/** The beginning of a command, to know it by. */
export const shortCommand = (command: string): string =>
  command.length <= KNOWN_BY ? command : `${command.slice(0, KNOWN_BY).toWellFormed()}…`;

/** Tells a model that a command in the background is over. */
export const processNote = ({
  processId,
  command,
  ...end
}: ProcessEnd & { readonly processId: string; readonly command: string }): string =>
  `[The background command ${processId} (${shortCommand(command)}) ${processEndWords(end)}.]`;
