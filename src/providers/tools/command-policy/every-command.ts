import { commandName, innerCommands, type Inner } from "./hard-block/inner-commands.ts";
import { parseShell } from "./hard-block/shell-parse.ts";
import { UNKNOWN_TEXT, type Word } from "./hard-block/words.ts";

/** The commands of a line, wherever they stand in it. */
interface EveryCommand {
  /** Words of commands; what only the shell can know of a word is `UNKNOWN_TEXT`. */
  readonly commands: readonly (readonly string[])[];
  /** The line was read to its end; else there may be more. */
  readonly isComplete: boolean;
}

/** Finds the commands of a line: also in substitutions, groups and loops, and behind `env`, `xargs`, `sh -c` and their kin. */
export function everyCommand(line: string): EveryCommand {
  const walk = new Walk();
  walk.script(line, 0);
  return walk;
}

/** Levels of commands that start others, and how many such of a line are looked at. */
const DEEPEST = 10;
const MOST_INNER = 100;
/** What the parser calls the places behind which it may have missed commands. */
const MISSED = new Set(["an open quote", "too many levels", "a here-document without its text"]);

/** A walk through a line and the texts in it that are lines themselves. */
class Walk implements EveryCommand {
  readonly commands: (readonly string[])[] = [];
  isComplete = true;
  #inner = 0;

  script(text: string, depth: number): void {
    const { commands, unread } = parseShell(text);
    if (unread.some((reason) => MISSED.has(reason))) this.isComplete = false;
    for (const { words, input, isList } of commands)
      if (isList !== true) this.#command(words.map(textOf), depth, input);
  }

  #command(words: readonly string[], depth: number, input?: string): void {
    this.commands.push(words);
    for (const inner of commandsIn(words, input)) {
      this.#inner += 1;
      if (depth >= DEEPEST || this.#inner > MOST_INNER) {
        this.isComplete = false;
        return;
      }
      if (inner.kind === "script") this.script(inner.text, depth + 1);
      else this.#command(inner.words, depth + 1);
    }
  }
}

/** Programs whose texts are code of other languages, or settings, and seldom a command. */
const NO_SHELL = /^(python[23]?|perl|ruby|node|nodejs|bun|deno|php|lua|git)$/;

function commandsIn(words: readonly string[], input: string | undefined): readonly Inner[] {
  const [first = "", option = ""] = words;
  const name = commandName(first);
  // `command -v` only says where one is.
  if (NO_SHELL.test(name) || (name === "command" && /^-\w*[vV]/.test(option))) return [];
  return innerCommands(words, input);
}

function textOf({ pieces }: Word): string {
  const texts = pieces.map((piece) => {
    if (piece.kind === "literal") return piece.text;
    return piece.kind === "opaque" ? (piece.text ?? UNKNOWN_TEXT) : UNKNOWN_TEXT;
  });
  return texts.join("");
}
