import type { SimpleCommand } from "./commands.ts";
import { parseShell } from "./shell-parse.ts";
import { hasGlob, literalText, startsWithGlob, type Word } from "./words.ts";
import { commandName, innerCommands, isShell } from "./wrappers.ts";

/** How a program's commands are allowed as a whole, whatever their further arguments are. */
interface Family {
  /** Words after the program that name the command; without them the program itself is the command. */
  readonly commands?: ReadonlySet<string>;
  /** These take one more word into the name: `npm run build`. */
  readonly deeper?: ReadonlySet<string>;
  /** An argument that makes something else of it: it names a program, other settings, or another place. */
  readonly isRisky: (argument: string) => boolean;
  /** After `--` there are no options. */
  readonly endsOptions?: boolean;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const SETTING =
  /^-([cCfpr]$|-?(config|plugin|rule|resolve|require|import|loader|root|dir|prefix|file|eval|exec|script|shell|node|global|user|init|cache|manifest|env|with|setup|reporter|format|out))/;
const CHECKER: Family = { isRisky: (argument) => SETTING.test(argument) };

const JS_RUNNER: Family = {
  commands: words("test run run-script t build lint start"),
  deeper: words("run run-script"),
  isRisky: (argument) => /^-(?!s$|w$|-silent$|-if-present$|-workspaces?$)/.test(argument),
  endsOptions: true,
};

const RISKY_GIT =
  "config exec ext-diff file git-dir namespace no-index open-files-in-pager output receive-pack template upload-pack work-tree".split(
    " ",
  );

const FAMILIES: Readonly<Record<string, Family>> = {
  black: CHECKER,
  bun: JS_RUNNER,
  cargo: {
    commands: words("build b check c clippy doc fmt test t bench tree"),
    isRisky: (argument) => /^(--config|--manifest|--target-dir|--out|-Z|-C|\+)/.test(argument),
  },
  dotnet: { ...CHECKER, commands: words("build test restore format") },
  eslint: CHECKER,
  git: {
    commands: words(
      "add branch checkout cherry-pick commit fetch merge mv pull push revert stash switch tag",
    ),
    isRisky: (argument) => /^-[cCx]/.test(argument) || isShortened(argument, RISKY_GIT),
    endsOptions: true,
  },
  go: {
    commands: words("build fmt test vet"),
    isRisky: (argument) => /^--?(exec|toolexec|C|o|modfile|overlay|vettool|ldflags|gcflags)/.test(argument),
  },
  jest: CHECKER,
  make: { isRisky: (argument) => /^(-[fCIE]|--(file|makefile|directory|include|eval)|.*=)/s.test(argument) },
  mypy: CHECKER,
  npm: JS_RUNNER,
  pnpm: JS_RUNNER,
  prettier: CHECKER,
  pytest: CHECKER,
  ruff: CHECKER,
  tsc: CHECKER,
  vitest: CHECKER,
  yarn: JS_RUNNER,
};

/** Git takes the beginning of a long option for the whole: `--upl` for `--upload-pack`. */
function isShortened(argument: string, options: readonly string[]): boolean {
  const name = /^--([^=]+)/.exec(argument)?.[1];
  return name !== undefined && options.some((option) => option.startsWith(name));
}

/** A pattern that fits one command line as it stands, when nothing smaller can be said of it. */
export const wholeLine = (command: string): string => `=${command.trim()}`;

/**
 * The pattern that covers a command: `git commit *` with whatever follows, or (beginning with `=` where it holds
 * patterns of file names) exactly this command.
 */
export function patternOf(command: SimpleCommand): string {
  const prefix = prefixOf(command);
  if (prefix !== undefined) return `${prefix.join(" ")} *`;
  const text = exactText(command);
  return command.words.some((word) => hasGlob(word)) || /[*=]/.test(text) ? `=${text}` : text;
}

/** Whether a pattern may be kept for ever: it says what will run. */
export function isNarrow(command: SimpleCommand): boolean {
  const texts = command.words.map(literalText);
  if (texts.some((text) => text === undefined)) return prefixOf(command) !== undefined;
  const known = texts.map((text) => text ?? "");
  const name = commandName(known[0] ?? "");
  return !isShell(name) && innerCommands(known).length === 0;
}

/**
 * Whether patterns allow a whole command line: it could be read, and each command in it fits one of them. A line that
 * could not be read is only covered by itself.
 */
export function covers(patterns: readonly string[], command: string): boolean {
  const { commands, unread } = parseShell(command);
  if (unread.length > 0 || commands.length === 0) return patterns.includes(wholeLine(command));
  return commands.every((simple) => patterns.some((pattern) => fits(pattern, simple)));
}

function fits(pattern: string, command: SimpleCommand): boolean {
  if (pattern.startsWith("=")) return pattern.slice(1) === exactText(command);
  if (!pattern.endsWith(" *")) return pattern === exactText(command);
  if (!isPlain(command)) return false;
  const head = pattern.slice(0, -2).split(" ");
  return (
    head.every((text, at) => {
      const word = command.words[at];
      return word !== undefined && literalText(word) === text;
    }) && !isRisky(command, head.length)
  );
}

function prefixOf(command: SimpleCommand): readonly string[] | undefined {
  const [program, next, third] = command.words.map(literalText);
  const family = program !== undefined && Object.hasOwn(FAMILIES, program) ? FAMILIES[program] : undefined;
  if (program === undefined || family === undefined || !isPlain(command)) return undefined;
  let prefix: readonly string[] = [program];
  if (family.commands !== undefined) {
    if (next === undefined || !family.commands.has(next)) return undefined;
    prefix = [program, next];
    if (family.deeper?.has(next) === true) {
      if (third === undefined || !/^[\w:.@/-]+$/.test(third) || third.startsWith("-")) return undefined;
      prefix = [program, next, third];
    }
  }
  return isRisky(command, prefix.length) ? undefined : prefix;
}

/** No assignment, and no file that is written or read by a redirection. */
function isPlain({ assignments, redirects }: SimpleCommand): boolean {
  return (
    assignments.length === 0 &&
    redirects.every(({ operator, target }) => {
      const path = literalText(target);
      return path === "/dev/null" || (/^[<>]&$/.test(operator) && /^(\d+|-)$/.test(path ?? ""));
    })
  );
}

function isRisky({ words: all }: SimpleCommand, from: number): boolean {
  const name = literalText(all[0] ?? NONE) ?? "";
  const family = Object.hasOwn(FAMILIES, name) ? FAMILIES[name] : undefined;
  if (family === undefined) return false;
  const rest = all.slice(from);
  const end = family.endsOptions === true ? rest.findIndex((word) => literalText(word) === "--") : -1;
  return (end < 0 ? rest : rest.slice(0, end)).some((word) => {
    const text = literalText(word);
    // What a variable or a pattern gives could be an option.
    return text === undefined || startsWithGlob(word) ? isOpen(word) : family.isRisky(text);
  });
}

const NONE: Word = { source: "", pieces: [] };

/** Whether the word's first character is not known. */
const isOpen = ({ pieces: [first] }: Word): boolean =>
  first?.kind !== "literal" || first.text === "" || (!first.quoted && /^[*?[]/.test(first.text));

/** The command with the same quotes always, so that two spellings of it are one text. */
function exactText({ assignments, words: all, redirects }: SimpleCommand): string {
  return [
    ...assignments.map(({ name, value }) => `${name}=${quoted(value)}`),
    ...all.map(quoted),
    ...redirects.map(({ operator, target }) => `${operator} ${quoted(target)}`),
  ].join(" ");
}

function quoted(word: Word): string {
  const text = literalText(word);
  if (text === undefined || hasGlob(word)) return word.source;
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
