import { posix } from "node:path";
import { wordList } from "../../../../shared/text/word-list.ts";
import type { CommandLine, ParsedCommand, ParsedJoint } from "./command-line.ts";
import { isRawDevice } from "./critical-paths.ts";
import { isForkBomb } from "./fork-bomb.ts";
import { forbiddenReason, type Scene } from "./harm-rules.ts";
import { parseShell } from "./shell-parse.ts";
import { expandWord, UNKNOWN_TEXT, type Variables, type Word } from "./words.ts";
import { commandName, innerCommands, type Inner } from "./inner-commands.ts";

/** The place where a command line would run, with its variables. */
export interface BlockPlace extends Scene {
  readonly environment: Readonly<Record<string, string>>;
}

const DEEPEST = 10;
/**
 * Why a command line may not run in any mode, or `undefined`. It looks through wrappers, quotes, variables and
 * substitutions, and takes a line that cannot be read completely for what can be read of it. It is a net against
 * accidents, not a sandbox.
 */
export function hardBlockReason(command: string, around: BlockPlace): string | undefined {
  return new Search(around).script(command, { cwd: around.cwd, depth: 0 });
}

interface Where {
  readonly cwd: string;
  readonly depth: number;
  /** What the command reads, when that is known. */
  readonly input?: string;
}

class Search {
  readonly #around: BlockPlace;
  readonly #variables: Record<string, string | null>;

  constructor(around: BlockPlace) {
    this.#around = around;
    const { environment, home, cwd, pid } = around;
    this.#variables = { ...UNKNOWN_VARIABLES, ...environment, HOME: home, PWD: cwd, PPID: String(pid) };
  }

  script(text: string, where: Where): string | undefined {
    return isForkBomb(text) ? "it is a fork bomb" : this.#line(parseShell(text), where);
  }

  #line({ commands }: CommandLine, where: Where): string | undefined {
    let cwds: readonly string[] = [where.cwd];
    let said: string | undefined;
    let entered: Entering | undefined;
    for (const command of commands) {
      if (entered !== undefined) cwds = afterEntering(entered, command.joint);
      const words = command.words.flatMap((word) => expandWord(word, this.#variables));
      const input = command.input ?? (command.joint === "|" ? said : where.input);
      for (const cwd of cwds) {
        const here = { cwd, depth: where.depth, ...(input === undefined ? {} : { input }) };
        const reason = this.#device(command, cwd) ?? this.#words(words, here);
        if (reason !== undefined) return reason;
      }
      this.#assign(command, words);
      said = output(words);
      entered = enteredBy(words, cwds, this.#around.home);
    }
    return undefined;
  }

  #words(words: readonly string[], where: Where): string | undefined {
    const [first = "", ...args] = words;
    const name = commandName(first);
    const scene = { ...this.#around, cwd: where.cwd };
    const reason = forbiddenReason(name, args, scene);
    if (reason !== undefined || where.depth >= DEEPEST) return reason;
    for (const inner of innerCommands(words, where.input)) {
      const found = this.#inner(inner, name, { ...where, depth: where.depth + 1 });
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #inner(inner: Inner, outer: string, where: Where): string | undefined {
    if (inner.kind === "script") return this.script(inner.text, where);
    // What `xargs` reads becomes arguments.
    const more = outer === "xargs" ? (where.input ?? "").split(/\s+/).filter((word) => word !== "") : [];
    return this.#words([...inner.words, ...more], where);
  }

  #device({ redirects }: ParsedCommand, cwd: string): string | undefined {
    for (const { operator, target } of redirects) {
      if (!operator.includes(">")) continue;
      const device = expandWord(target, this.#variables).find((path) =>
        isRawDevice(posix.resolve(cwd, path)),
      );
      if (device !== undefined) return `it would write over the device ${device}`;
    }
    return undefined;
  }

  #assign({ assignments }: ParsedCommand, words: readonly string[]): void {
    for (const { name, value } of assignments) this.#variables[name] = this.#valueOf(value);
    const [name, ...args] = words;
    if (name === "read" || name === "mapfile" || name === "readarray" || name === "getopts") {
      for (const arg of args) this.#variables[arg] = null;
    }
    if (name === undefined || !/^(export|declare|typeset|local|readonly)$/.test(name)) return;
    for (const arg of args) {
      const [, variable, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(arg) ?? [];
      if (variable !== undefined) this.#variables[variable] = known(value ?? "");
    }
  }

  #valueOf(word: Word): string | null {
    return known(expandWord(word, this.#variables).join(" "));
  }
}

const known = (text: string): string | null => (text.includes(UNKNOWN_TEXT) ? null : text);

/** Set by every shell, to nothing that could be known here. */
const UNKNOWN_VARIABLES: Variables = {
  IFS: " \t\n",
  ...Object.fromEntries(
    wordList("OLDPWD UID EUID RANDOM SECONDS LINENO BASHPID BASH HOSTNAME ? $ ! - _ 0").map((name) => [
      name,
      null,
    ]),
  ),
};

/** What a command says, when that is plain from its words. */
function output([name, ...args]: readonly string[]): string | undefined {
  if (name !== "echo" && name !== "printf") return undefined;
  return args
    .filter((arg) => !/^-[neE]+$/.test(arg))
    .join(" ")
    .replaceAll("\\n", "\n");
}

function enteredBy(words: readonly string[], before: readonly string[], home: string): Entering | undefined {
  const [name, ...args] = words;
  if (name !== "cd" && name !== "pushd") return undefined;
  const target = args.find((arg) => !arg.startsWith("-")) ?? home;
  const after = before.map((cwd) => posix.resolve(cwd, target)).filter((cwd) => cwd.length <= LONGEST_PATH);
  return { before, after: after.length > 0 ? after : before };
}

/** A `cd` that may have worked, or not. */
interface Entering {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Bounds of what is followed through a line full of `cd`s. */
const MOST_DIRECTORIES = 4;
const LONGEST_PATH = 1024;

/** Where the next command may run: after `&&` the directory was entered, after `||` it was not, else nobody knows. */
function afterEntering({ before, after }: Entering, joint: ParsedJoint): readonly string[] {
  if (joint === "&&") return after;
  return joint === "||" ? before : [...new Set([...after, ...before])].slice(0, MOST_DIRECTORIES);
}
