import { readSimpleLine, quoted, withoutBlanks, type SimpleCommand } from "./simple-line.ts";
import { UNASKED_PROGRAMS, type UnaskedProgram } from "./unasked-programs.ts";
import { checkWords } from "./unasked-words.ts";

/** The words that may follow a program, or one of its subcommands, that is allowed in advance. */
type Family = Pick<UnaskedProgram, "options" | "operands"> & { readonly operands: "none" | "names" };

const SCRIPTS: Family = { options: "-s --silent --if-present", operands: "none" };
const CARGO: Family = {
  options:
    "-qv -p: --all-features --all-targets --bins --lib --locked --offline --release --tests --workspace",
  operands: "none",
};
const CHECKER: Family = { options: "-qv --quiet --verbose", operands: "names" };

/**
 * Commands that can be allowed with what may follow. Their options were read in each program's manual: none of them names
 * a program, settings, a place to write to, or another machine. A command that is not listed is allowed as it stands.
 */
const FAMILIES: Readonly<Record<string, Family>> = {
  "bun run": SCRIPTS,
  "bun test": SCRIPTS,
  "cargo build": CARGO,
  "cargo check": CARGO,
  "cargo clippy": { options: "-q -p: --all-features --all-targets --workspace", operands: "none" },
  "cargo fmt": { options: "--all --check", operands: "none" },
  "cargo test": {
    options: "-qv -p: --all-features --lib --locked --no-fail-fast --offline --release --workspace",
    operands: "names",
  },
  "dotnet build": { options: "-c: --no-restore", operands: "none" },
  "dotnet test": { options: "-c: --no-build --no-restore", operands: "none" },
  "git add": { options: "-ANnuv --all --update", operands: "names" },
  "git branch": { options: "-v", operands: "names" },
  "git commit": { options: "-aqsvm: --all --message: --quiet --signoff", operands: "none" },
  "git fetch": { options: "-pqt --all --prune --tags", operands: "none" },
  "git merge": { options: "-q --ff-only --no-edit --no-ff", operands: "names" },
  "git pull": { options: "-q --ff-only", operands: "none" },
  "git stash": { options: "-u", operands: "none" },
  "git switch": { options: "-c: -q", operands: "names" },
  "git tag": { options: "", operands: "names" },
  // Its long options have one dash, as letters have.
  "go build": { options: "-v", operands: "names" },
  "go test": { options: "-v", operands: "names" },
  "go vet": { options: "", operands: "names" },
  black: { options: "-qv --check --diff", operands: "names" },
  eslint: { options: "--cache --fix --quiet --max-warnings:", operands: "names" },
  jest: { options: "-iut: --coverage --runInBand --silent --verbose --watchAll=", operands: "names" },
  mkdir: { options: "-pv --parents --verbose", operands: "names" },
  mypy: { options: "--strict", operands: "names" },
  "npm run": SCRIPTS,
  "npm test": SCRIPTS,
  "pnpm run": SCRIPTS,
  "pnpm test": SCRIPTS,
  prettier: { options: "-lwu --check --list-different --write", operands: "names" },
  pytest: { options: "-qvxsk:m: --ff --lf --tb=", operands: "names" },
  "ruff check": { ...CHECKER, options: "-q --fix" },
  "ruff format": { ...CHECKER, options: "-q --check" },
  touch: { options: "-acm", operands: "names" },
  tsc: { options: "--noEmit --pretty", operands: "none" },
  vitest: { options: "-ut: --run --silent", operands: "names" },
  "yarn run": SCRIPTS,
  "yarn test": SCRIPTS,
};

/** Subcommands that take one more word into the name: `npm run build`. */
const NAMED = /^(bun|npm|pnpm|yarn) run$/;
const SCRIPT_NAME = /^\w[\w:.@-]*$/;
/** Builtins that change the shell in which the rest of the line runs: it means something else without them. */
const CHANGES_SHELL =
  /^(cd|pushd|popd|export|declare|typeset|local|readonly|unset|read|readarray|mapfile|set|shopt|alias|unalias|hash|enable|umask|source|\.|eval|exec|trap|ulimit)$/;

/** A rule that fits one command line as it stands. */
export const wholeLine = (line: string): string => `=${withoutBlanks(line)}`;

/**
 * The rules that cover a line, for an approval that lasts. It needs each of them: `git commit *` stands for the command with
 * the options that are known for it; any other command, and any pipeline, is covered as it stands.
 */
export const rulesFor = (line: string): readonly string[] => [
  ...new Set(partsFor(line).flatMap(([usual]) => usual ?? [])),
];

/** What has to be covered of a line, each with the rules that cover it: the widest first, and last the one for it as it stands. */
export function partsFor(line: string): readonly (readonly string[])[] {
  const commands = readSimpleLine(line);
  if (commands === undefined || commands.some(({ words: [first] }) => CHANGES_SHELL.test(first?.text ?? "")))
    return [[wholeLine(line)]];
  return pipelinesOf(commands).flatMap(pipelineParts);
}

function pipelinesOf(commands: readonly SimpleCommand[]): readonly (readonly SimpleCommand[])[] {
  const pipelines: SimpleCommand[][] = [];
  for (const command of commands)
    if (command.joint === "|") pipelines.at(-1)?.push(command);
    else pipelines.push([command]);
  return pipelines;
}

/** What a program reads may be a script, or go somewhere: the parts of a pipeline stand alone only before those that just read. */
function pipelineParts(pipeline: readonly SimpleCommand[]): readonly (readonly string[])[] {
  const isSafe = pipeline.slice(1).every(onlyReads);
  if (!isSafe) return [[exact(pipeline)]];
  return pipeline.map((command) => [familyRule(command) ?? [], exact([command])].flat());
}

function onlyReads({ words: [first, ...rest] }: SimpleCommand): boolean {
  const name = first?.text ?? "";
  const program = Object.hasOwn(UNASKED_PROGRAMS, name) ? UNASKED_PROGRAMS[name] : undefined;
  return program !== undefined && checkWords(program, rest)?.paths.length === 0;
}

/** The family of which a rule with `*` speaks: its program, subcommand or script; `undefined` when there is none. */
export function familyOf(name: string): Family | undefined {
  if (Object.hasOwn(FAMILIES, name)) return NAMED.test(name) ? undefined : FAMILIES[name];
  const [, runner = "", script = ""] = /^(\S+ run) (\S+)$/.exec(name) ?? [];
  return NAMED.test(runner) && SCRIPT_NAME.test(script) ? FAMILIES[runner] : undefined;
}

/** The rule for a command of a family whose words are all known. */
function familyRule({ words }: SimpleCommand): string | undefined {
  const [program = "", next = "", third = ""] = words.map(({ text }) => text);
  const two = `${program} ${next}`;
  const name = [two, program].find((known) => Object.hasOwn(FAMILIES, known));
  const family = name === undefined ? undefined : FAMILIES[name];
  if (name === undefined || family === undefined) return undefined;
  if (NAMED.test(name) && !SCRIPT_NAME.test(third)) return undefined;
  const rule = NAMED.test(name) ? `${name} ${third}` : name;
  const isKnown = checkWords(family, words.slice(rule.split(" ").length)) !== undefined;
  return isKnown ? `${rule} *` : undefined;
}

/** Commands with the same quotes always, so that two spellings of them are one text. */
function exact(pipeline: readonly SimpleCommand[]): string {
  const texts = pipeline.map(({ words, redirections }) =>
    [...words.map(({ text, isPattern }) => (isPattern ? text : quoted(text))), ...redirections].join(" "),
  );
  const line = texts.join(" | ");
  // A program may be named as rules of other kinds begin.
  return /[*=]|^\w+:/.test(line) ? `=${line}` : line;
}
