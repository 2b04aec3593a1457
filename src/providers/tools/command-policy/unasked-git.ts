import { SECRET_FOLDERS, SECRET_NAMES } from "../workspace/sensitive.ts";
import type { SimpleWord } from "./simple-line.ts";
import { UNASKED_GIT } from "./unasked-programs.ts";
import { checkWords } from "./unasked-words.ts";

/** The files that the words of a git command may name. */
export interface GitFiles {
  isThere(name: string): Promise<boolean>;
  /** Whether a name, or the name behind the colon of `HEAD:name`, may be read. */
  isReadable(name: string): Promise<boolean>;
}

/**
 * The words with which git runs for those that were given. Contents are only shown of what commits and the folder hold under
 * names without secrets.
 *
 * @returns `undefined` when it has to be asked about
 */
export async function gitWords(
  given: readonly SimpleWord[],
  files: GitFiles,
): Promise<readonly string[] | undefined> {
  const [first, ...words] = given[0]?.text === "--no-pager" ? given.slice(1) : given;
  const name = first?.text ?? "";
  const program = Object.hasOwn(UNASKED_GIT, name) ? UNASKED_GIT[name] : undefined;
  if (program === undefined || words.some(isUnfit)) return undefined;
  // To git, words behind `--` are paths, and those before it may be commits.
  const end = words.findIndex(({ text }) => text === "--");
  const checked = checkWords(program, end < 0 ? words : words.slice(0, end));
  if (checked === undefined) return undefined;
  const objects: string[] = [];
  const paths = end < 0 ? [] : words.slice(end + 1).map(({ text }) => text);
  for (const { text } of checked.operands)
    (end < 0 && (await files.isThere(text)) ? paths : objects).push(text);
  for (const text of [...objects, ...paths]) if (!(await files.isReadable(text))) return undefined;
  const before = ["--no-pager", name, ...(ALWAYS[name] ?? []), ...checked.options];
  const [only = ""] = objects;
  const isOneFile = name === "show" && objects.length === 1 && paths.length === 0 && FILE_IN.test(only);
  if (isOneFile) return [...before, only];
  if (!showsContents(name, checked.options))
    return paths.length === 0 ? [...before, ...objects] : [...before, ...objects, "--", ...paths];
  // Of a file that once had another name, it would show what that one held.
  if (checked.options.includes("--follow") || !objects.every((text) => COMMITS.test(text))) return undefined;
  return [
    ...before,
    ...objects.map(commitsOnly),
    "--",
    ...(paths.length === 0 ? [":/"] : paths),
    ...NO_SECRETS,
  ];
}

/** One or two names of commits. */
const COMMITS = /^[\w./@{}~^+-]+$/;

/** `HEAD:name`, also `:name` for the index. Behind `:/` stands a text to look for in messages. */
const FILE_IN = /^(?:[\w./@{}~^+-]+:|:(?!\/))[^:]+$/;

/** Without this, a name could be that of a file's contents, which has no path that could be left out. */
const commitsOnly = (names: string): string =>
  names
    .split(/(\.{2,3})/)
    .map((name) => (name === "" || /^\.{2,3}$/.test(name) ? name : `${name}^{commit}`))
    .join("");

const CHANGES = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

/** Options that keep subcommands from the programs that attributes and submodules name. */
const ALWAYS: Readonly<Record<string, readonly string[]>> = {
  diff: CHANGES,
  log: CHANGES,
  show: CHANGES,
  status: ["--ignore-submodules=all"],
};

/** Pathspecs that keep git from showing what files with secrets held. */
const NO_SECRETS = [...SECRET_NAMES, ...SECRET_FOLDERS.map((name) => `${name}/**`)].map(
  (name) => `:(top,exclude,icase,glob)**/${name}`,
);

/** Whether lines of files are shown, or told by what is found. */
const showsContents = (name: string, options: readonly string[]): boolean =>
  name === "diff" ||
  name === "show" ||
  (name === "log" && options.some((option) => /^(-[a-zA-Z]*[puUGS]|--patch|--word-diff)/.test(option)));

/** Patterns, and formats that start gpg: `%G?`, also as `%+G?`. */
const isUnfit = ({ text, isPattern }: SimpleWord): boolean => isPattern || /%[-+ ]?G|signature/i.test(text);
