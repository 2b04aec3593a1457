import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { findProgram } from "../spawn/find-program.ts";
import { isTooWide, isUnder, realPathOf, realRoots } from "../workspace/roots.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { type OwnGit, ownGit } from "./own-git.ts";
import { folderAt, type NameUse, readableNames } from "./readable-path.ts";
import { quoted, readSimpleLine, type SimpleCommand, type SimpleWord } from "./simple-line.ts";
import { gitWords } from "./unasked-git.ts";
import { UNASKED_PROGRAMS, type UnaskedProgram } from "./unasked-programs.ts";
import { checkWords } from "./unasked-words.ts";

/** The place and the machine where a command would run. */
export interface CommandPlace {
  /** Absolute real path. */
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly platform: string;
  /** The person's home folder. */
  readonly home: string;
  /** Absolute real paths that are part of no workspace: the agent's home. */
  readonly apart: readonly string[];
  /** Folders of programs, as in the variable PATH. */
  readonly path: string;
  readonly tempDir: string;
}

/** A line that may run unasked, in the form in which it runs. Disposing removes what was made for it. */
export interface UnaskedLine extends AsyncDisposable {
  /** The shell that runs it: not one that a variable names. */
  readonly shell: string;
  /** Absolute real path. */
  readonly cwd: string;
  /** Programs by their absolute paths, names of files instead of patterns, every word quoted. */
  readonly line: string;
  /** The words of its only command, which needs no shell. */
  readonly words: readonly string[] | undefined;
  /** All variables that it gets. */
  readonly env: Readonly<Record<string, string>>;
  /** It needs the system's own programs alone: it means the same wherever those are, whatever variables there are. */
  readonly isPortable: boolean;
}

/** Every system has it there. */
const SHELL = "/bin/sh";
/** Bounds of what one line may name. */
const MOST_NAMES = 1000;
const MOST_PATTERNS = 10;
/** The system takes no longer single argument than 128 KB. */
const LONGEST = 100_000;

/**
 * The form in which a line may run without anybody being asked: it only reads, and only in the workspace. The line that was
 * given never runs itself; the line that runs is put together from the words that were understood.
 *
 * @returns `undefined` when it has to be asked about
 */
export async function unaskedLine(text: string, place: CommandPlace): Promise<UnaskedLine | undefined> {
  const commands = readSimpleLine(text);
  // Most lines are others: those need no look at the disk. Such a workspace holds everything that a person has: nothing there is harmless to read.
  if (commands?.every(mayBeUnasked) !== true || isTooWide(place.roots, place.home)) return undefined;
  const roots = realRoots(place.roots);
  const path = programFolders(place.path, roots);
  const builder = new LineBuilder({ ...place, roots, path });
  const line = await builder.build(commands);
  const { cwd, git } = builder;
  if (line === undefined || line.length > LONGEST) {
    await git?.[Symbol.asyncDispose]();
    return undefined;
  }
  return {
    shell: SHELL,
    cwd,
    line,
    words: builder.words,
    env: {
      HOME: "/nonexistent",
      LC_ALL: "C.UTF-8",
      NO_COLOR: "1",
      PATH: path,
      PWD: cwd,
      TERM: "dumb",
      ...git?.env,
    },
    isPortable: git === undefined && builder.isOfSystem,
    [Symbol.asyncDispose]: async () => await git?.[Symbol.asyncDispose](),
  };
}

/** Whether its program is one of those that may run unasked, with the right words. */
const mayBeUnasked = ({ words: [first] }: SimpleCommand): boolean =>
  first?.isPattern === false &&
  (BUILT_IN.has(nameOf(first)) || Object.hasOwn(UNASKED_PROGRAMS, nameOf(first)));

const BUILT_IN: ReadonlySet<string> = new Set(["cd", "git"]);

/** The name of a program, also of one that is written with the folder in which every system has it. */
const nameOf = ({ text }: SimpleWord): string => text.replace(/^(\/usr)?\/bin\//, "");

/** The folders of PATH that lie outside the workspace, wherever links lead. */
function programFolders(path: string, roots: readonly string[]): string {
  const entries = path.split(":").filter((entry) => entry.startsWith("/"));
  const folders = entries.map(realPathOf).filter((real) => real !== undefined && !isInRoots(real, roots));
  return [...new Set(folders)].join(":");
}

const isInRoots = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => isUnder(path, root));

/** To many shells, `&>` is `&` and `>`: the command would go on in the background, and seem to have worked. */
const plainRedirection = (text: string): string => (text.startsWith("&>") ? ">/dev/null 2>&1" : text);

type Words = readonly SimpleWord[];

/** The words of a command as they run; `undefined` when they may not run unasked. */
type BuiltWords = Promise<readonly string[] | undefined>;

const ONE_FILE: NameUse = { isDeep: false, filesOnly: false };

/** Builder of the line that runs, command by command. */
class LineBuilder {
  /** Its roots are real paths, and its programs lie outside them. */
  readonly #place: CommandPlace;
  /** The folder in which the line runs. */
  cwd: string;
  /** The git directory for all commands of the line, once one of them needs it. */
  git: OwnGit | undefined;
  /** All programs so far are the system's. */
  isOfSystem = true;
  /** The words of the only command, when there is one without redirections. */
  words: readonly string[] | undefined;
  #names = 0;
  #patterns = 0;

  constructor(place: CommandPlace) {
    this.#place = place;
    this.cwd = place.cwd;
  }

  async build(commands: readonly SimpleCommand[]): Promise<string | undefined> {
    const rest = await this.#enterFirst(commands);
    if (rest === undefined) return undefined;
    const parts: string[] = [];
    for (const [at, command] of rest.entries()) {
      const words = await this.#command(command);
      if (words === undefined) return undefined;
      if (rest.length === 1 && command.redirections.length === 0) this.words = words;
      const joint = at === 0 ? [] : [command.joint];
      parts.push(...joint, ...words.map(quoted), ...command.redirections.map(plainRedirection));
    }
    // Not every shell becomes the only command of a line by itself.
    return [...(rest.length === 1 ? ["exec"] : []), ...parts].join(" ");
  }

  /**
   * Takes `cd folder &&` off the beginning: the line runs there. Anywhere else it is asked about, since what follows would
   * run in another folder when it is left out or fails.
   */
  async #enterFirst(commands: readonly SimpleCommand[]): Promise<readonly SimpleCommand[] | undefined> {
    const [first, ...rest] = commands;
    if (first?.words[0]?.text !== "cd") return commands;
    const [, folder, ...more] = first.words;
    if (folder === undefined || more.length > 0 || folder.isPattern || folder.text.startsWith("-"))
      return undefined;
    if (rest[0]?.joint !== "&&" || (await this.#found(folder, ONE_FILE)) === undefined) return undefined;
    const entered = await folderAt(this.#workspace(), folder.text);
    if (entered === undefined) return undefined;
    this.cwd = entered;
    return await this.#enterFirst(rest);
  }

  async #command({ words }: SimpleCommand): BuiltWords {
    const [first, ...rest] = words;
    if (first === undefined || first.isPattern) return undefined;
    const name = nameOf(first);
    const file = this.#program(name);
    if (file === undefined) return undefined;
    const program = Object.hasOwn(UNASKED_PROGRAMS, name) ? UNASKED_PROGRAMS[name] : undefined;
    const built = name === "git" ? await this.#git(rest) : program && (await this.#words(program, rest));
    this.isOfSystem &&= /^(?:\/usr)?\/s?bin\//.test(file);
    return built && [file, ...built];
  }

  #program(name: string): string | undefined {
    const file = findProgram(name, this.#place.path);
    const real = file === undefined ? undefined : realPathOf(file);
    return real === undefined || isInRoots(real, this.#place.roots) ? undefined : file;
  }

  async #words(program: UnaskedProgram, words: Words): BuiltWords {
    const checked = checkWords(program, words);
    if (checked === undefined) return undefined;
    const { options, operands, paths } = checked;
    const isFind = program.operands === "find";
    const isDeep = isFind || program.deep?.test(options.join(" ")) === true;
    const use = { isDeep, filesOnly: program.filesOnly === true };
    const names: string[] = [];
    for (const word of operands) {
      const found = paths.includes(word) ? await this.#found(word, use) : [word.text];
      if (found === undefined) return undefined;
      names.push(...found);
    }
    for (const word of paths)
      if (!operands.includes(word) && (await this.#found(word, use)) === undefined) return undefined;
    // A pattern may stand for several.
    if (names.length > (program.most ?? names.length)) return undefined;
    if (isFind) return [...names, ...options];
    const hidden = isDeep ? (program.hides ?? []) : [];
    const end = ENDS_OPTIONS.has(program.operands) ? ["--"] : [];
    return [...options, ...hidden, ...end, ...names];
  }

  async #git(words: Words): BuiltWords {
    const isReadable = async (text: string): Promise<boolean> =>
      (await this.#found({ text, isPattern: false }, ONE_FILE)) !== undefined;
    const isThere = (name: string): Promise<boolean> =>
      lstat(resolve(this.cwd, name)).then(
        () => true,
        () => false,
      );
    const built = await gitWords(words, { isThere, isReadable });
    if (built !== undefined) this.git ??= await ownGit(this.cwd, this.#place);
    return this.git && built;
  }

  /** The names that a word stands for, when all of them may be read. */
  async #found(word: SimpleWord, use: NameUse): Promise<readonly string[] | undefined> {
    this.#patterns += word.isPattern ? 1 : 0;
    if (this.#patterns > MOST_PATTERNS || this.#names > MOST_NAMES) return undefined;
    const { apart } = this.#place;
    const names = await readableNames({ workspace: this.#workspace(), apart }, word, use);
    this.#names += names?.length ?? 0;
    return names;
  }

  #workspace() {
    const { roots, platform, apart } = this.#place;
    return openWorkspace({ cwd: this.cwd, roots, apart }, platform);
  }
}

/** Kinds of operands before which `--` says that no name is an option. */
const ENDS_OPTIONS = new Set<UnaskedProgram["operands"]>(["paths", "pattern", "sed"]);
