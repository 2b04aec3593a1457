import type { Word } from "./words.ts";

/** A redirection of an input or output. */
export interface Redirect {
  /** `>`, `>>`, `<`, `>|`, `<>`, `>&`, `<&`, `&>`, `&>>`, `<<<`. */
  readonly operator: string;
  readonly target: Word;
}

/** The way in which a command follows the one before it. */
export type ParsedJoint = "start" | "&&" | "||" | ";" | "|";

/** One program or builtin with what it is given. */
export interface ParsedCommand {
  readonly joint: ParsedJoint;
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
  /** What a here-document or here-string gives it to read. */
  readonly input?: string;
  /** Its words are values, of a loop, a `case` or an array: none of them is run. */
  readonly isList?: boolean;
}

/** A command line as far as it could be read. */
export interface CommandLine {
  /** In the order in which they stand, those in substitutions and groups too. */
  readonly commands: readonly ParsedCommand[];
  /** Why it could not be read completely; empty when it was. */
  readonly unread: readonly string[];
}
