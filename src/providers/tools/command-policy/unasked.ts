import { lstat, realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { findProgram } from "../spawn/find-program.ts";
import { isUnder } from "../workspace/roots.ts";
import { SECRET_NAMES } from "../workspace/sensitive.ts";
import { openWorkspace } from "../workspace/workspace.ts";
import { type OwnGit, ownGit } from "./own-git.ts";
import { readableNames, type ReadablePlace } from "./readable-path.ts";
import { quoted, readSimpleLine, type SimpleCommand, type SimpleWord } from "./simple-line.ts";
import { UNASKED_GIT, UNASKED_PROGRAMS, type UnaskedProgram } from "./unasked-programs.ts";
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
  /** Programs by their absolute paths, names of files instead of patterns, every word quoted. */
  readonly line: string;
  /** All variables that it gets. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The form in which a line may run without anybody being asked: it only reads, and only in the workspace. The line that was
 * given never runs itself; the line that runs is put together from the words that were understood.
 *
 * @returns `undefined` when it has to be asked about
 */
export async function unaskedLine(text: string, place: CommandPlace): Promise<UnaskedLine | undefined> {
  const commands = readSimpleLine(text);
  // Such a workspace holds everything that a person has: nothing there is harmless to read.
  const isTooWide = place.roots.some((root) => isUnder(place.home, root));
  if (commands === undefined || isTooWide) return undefined;
  const path = await programFolders(place);
  const builder = new LineBuilder(place, path);
  const line = await builder.build(commands);
  const { git } = builder;
  if (line === undefined) {
    await git?.[Symbol.asyncDispose]();
    return undefined;
  }
  return {
    line,
    env: { HOME: "/nonexistent", LC_ALL: "C.UTF-8", NO_COLOR: "1", PATH: path, TERM: "dumb", ...git?.env },
    [Symbol.asyncDispose]: async () => await git?.[Symbol.asyncDispose](),
  };
}

/** The folders of PATH that lie outside the workspace, wherever links lead. */
async function programFolders({ path, roots }: CommandPlace): Promise<string> {
  const folders: string[] = [];
  for (const folder of path.split(":").filter((entry) => entry.startsWith("/"))) {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined && !isInRoots(real, roots)) folders.push(real);
  }
  return [...new Set(folders)].join(":");
}

const isInRoots = (path: string, roots: readonly string[]): boolean =>
  roots.some((root) => isUnder(path, root));

type Words = readonly SimpleWord[];

/** The words of a command as they run; `undefined` when they may not run unasked. */
type BuiltWords = Promise<readonly string[] | undefined>;

/** Builder of the line that runs, command by command. */
class LineBuilder {
  readonly #place: CommandPlace;
  readonly #path: string;
  /** The folder in which the next command runs. */
  #cwd: string;
  /** The git directory for all commands of the line, once one of them needs it. */
  git: OwnGit | undefined;

  constructor(place: CommandPlace, path: string) {
    this.#place = place;
    this.#path = path;
    this.#cwd = place.cwd;
  }

  async build(commands: readonly SimpleCommand[]): Promise<string | undefined> {
    const parts: string[] = [];
    for (const [at, command] of commands.entries()) {
      const words = await this.#command(command, commands[at + 1]);
      if (words === undefined) return undefined;
      const joint = command.joint === "" ? [] : [command.joint];
      parts.push(...joint, ...words.map(quoted), ...command.redirections);
    }
    return parts.join(" ");
  }

  async #command({ joint, words }: SimpleCommand, next: SimpleCommand | undefined): BuiltWords {
    const [first, ...rest] = words;
    if (first === undefined || first.isPattern) return undefined;
    const name = first.text.replace(/^(\/usr)?\/bin\//, "");
    if (name === "cd")
      return (joint === "" || joint === "&&") && next?.joint === "&&" ? await this.#enter(rest) : undefined;
    const file = await this.#program(name);
    if (file === undefined) return undefined;
    const program = Object.hasOwn(UNASKED_PROGRAMS, name) ? UNASKED_PROGRAMS[name] : undefined;
    const operands = name === "git" ? await this.#git(rest) : program && (await this.#words(program, rest));
    return operands && [file, ...operands];
  }

  /** `cd` into a folder of the workspace, where everything behind it runs. */
  async #enter([folder, ...more]: Words): BuiltWords {
    if (folder === undefined || more.length > 0 || folder.isPattern || folder.text.startsWith("-"))
      return undefined;
    // Another folder may belong to another repository.
    if (this.git !== undefined || (await this.#names(folder, false)) === undefined) return undefined;
    this.#cwd = await this.#readable().workspace.realPath(folder.text);
    return ["cd", this.#cwd];
  }

  async #program(name: string): Promise<string | undefined> {
    const file = await findProgram(name, this.#path);
    const real = file === undefined ? undefined : await realpath(file).catch(() => undefined);
    return real === undefined || isInRoots(real, this.#place.roots) ? undefined : file;
  }

  async #words(program: UnaskedProgram, words: Words): BuiltWords {
    const checked = checkWords(program, words);
    if (checked === undefined) return undefined;
    const { options, operands, paths } = checked;
    const isFind = program.operands === "find";
    const isDeep = isFind || program.deep?.test(options.join(" ")) === true;
    const names: string[] = [];
    for (const word of operands) {
      const found = paths.includes(word) ? await this.#names(word, isDeep) : [word.text];
      if (found === undefined) return undefined;
      names.push(...found);
    }
    for (const word of paths)
      if (!operands.includes(word) && (await this.#names(word, isDeep)) === undefined) return undefined;
    if (isFind) return [...names, ...options];
    const hidden = isDeep && program.hides !== undefined ? SECRET_NAMES.map(program.hides) : [];
    const end = ENDS_OPTIONS.has(program.operands) ? ["--"] : [];
    return [...options, ...hidden, ...end, ...names];
  }

  /** A subcommand of git, on a git directory of ours. To git, words behind `--` are paths, and those before it may be a commit. */
  async #git(all: Words): BuiltWords {
    const [first, ...words] = all[0]?.text === "--no-pager" ? all.slice(1) : all;
    const program =
      first !== undefined && Object.hasOwn(UNASKED_GIT, first.text) ? UNASKED_GIT[first.text] : undefined;
    if (first === undefined || program === undefined || words.some(isUnfitForGit)) return undefined;
    const end = words.findIndex(({ text }) => text === "--");
    const checked = checkWords(program, end < 0 ? words : words.slice(0, end));
    if (checked === undefined) return undefined;
    const revisions: string[] = [];
    const paths = end < 0 ? [] : words.slice(end + 1).map(({ text }) => text);
    for (const { text } of checked.operands)
      (end < 0 && (await this.#isThere(text)) ? paths : revisions).push(text);
    for (const text of [...revisions, ...paths])
      if ((await this.#names({ text, isPattern: false }, false)) === undefined) return undefined;
    this.git ??= await ownGit(this.#cwd, this.#place);
    if (this.git === undefined) return undefined;
    const before = [
      "--no-pager",
      first.text,
      ...(GIT_ALWAYS[first.text] ?? []),
      ...checked.options,
      ...revisions,
    ];
    if (!showsContents(first.text, checked.options) || revisions.some((text) => text.includes(":")))
      return paths.length === 0 ? before : [...before, "--", ...paths];
    return [...before, "--", ...(paths.length === 0 ? [":/"] : paths), ...NO_SECRETS];
  }

  async #isThere(text: string): Promise<boolean> {
    return await lstat(resolve(this.#cwd, text)).then(
      () => true,
      () => false,
    );
  }

  #names(word: SimpleWord, isDeep: boolean): Promise<readonly string[] | undefined> {
    return readableNames(this.#readable(), word, isDeep);
  }

  #readable(): ReadablePlace {
    const { roots, platform, apart } = this.#place;
    return { workspace: openWorkspace({ cwd: this.#cwd, roots }, platform), apart };
  }
}

/** Kinds of operands before which `--` says that no name is an option. */
const ENDS_OPTIONS = new Set<UnaskedProgram["operands"]>(["paths", "pattern", "sed"]);

const CHANGES = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

/** Options that keep subcommands from the programs that attributes and submodules name. */
const GIT_ALWAYS: Readonly<Record<string, readonly string[]>> = {
  diff: CHANGES,
  log: CHANGES,
  show: CHANGES,
  status: ["--ignore-submodules=all"],
};

/** Pathspecs that keep git from showing what files with secrets held. */
const NO_SECRETS = SECRET_NAMES.map((name) => `:(top,exclude,icase,glob)**/${name}`);

const showsContents = (command: string, options: readonly string[]): boolean =>
  command === "diff" ||
  command === "show" ||
  (command === "log" && options.some((option) => /^(-[a-zA-Z]*[puLGS]|--patch|--word-diff)/.test(option)));

/** Patterns, and formats that start gpg. */
const isUnfitForGit = ({ text, isPattern }: SimpleWord): boolean => isPattern || /%G|signature/i.test(text);
