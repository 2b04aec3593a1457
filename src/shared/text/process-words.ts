/** The end of a process: its exit code, or the signal that ended it. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** Says how a process ended, behind its name. */
export const processEndWords = ({ exitCode, signal }: ProcessEnd): string =>
  exitCode === null ? `ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;

/** Characters of a command that are enough to know it by. */
const KNOWN_BY = 200;

/** The beginning of a command, to know it by. */
export const shortCommand = (command: string): string =>
  command.length <= KNOWN_BY ? command : `${command.slice(0, KNOWN_BY).toWellFormed()}…`;
