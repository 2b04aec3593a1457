import { readSimpleLine, quoted, type SimpleCommand } from "./simple-line.ts";
import { UNASKED_PROGRAMS, type UnaskedProgram } from "./unasked-programs.ts";
import { checkWords } from "./unasked-words.ts";

/** How a program, or one of its subcommands, can be allowed in advance. */
interface Family {
  /** Options that may follow, as in {@link UnaskedProgram}; no other one does. */
  readonly options: string;
  /** `names`: plain words that are no options, no absolute paths, and lead nowhere upwards. */
  readonly operands: "none" | "names";
}

const SCRIPTS: Family = { options: "-s --silent --if-present", operands: "none" };
const CHECKER: Family = { options: "-qv --quiet --verbose", operands: "names" };

/**
 * Commands that can be allowed with what may follow. Their options were read in each program's manual: none of them names
 * a program, settings, a place to write to, or another machine. A command that is not listed is allowed as it stands.
 */
const FAMILIES: Readonly<Record<string, Family>> = {
  "bun run": SCRIPTS,
  "bun test": SCRIPTS,
  "cargo build": {
    options:
      "-qv -p: --all-features --all-targets --bins --lib --locked --offline --release --tests --workspace",
    operands: "none",
  },
  "cargo check": {
    options:
      "-qv -p: --all-features --all-targets --bins --lib --locked --offline --release --tests --workspace",
    operands: "none",
  },
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
  "go build": { options: "-v -race", operands: "names" },
  "go test": { options: "-vrace -short -run: -count:", operands: "names" },
  "go vet": { options: "", operands: "names" },
  black: { options: "-qv --check --diff", operands: "names" },
  eslint: { options: "--cache --fix --quiet --max-warnings:", operands: "names" },
  jest: { options: "-iut: --coverage --runInBand --silent --verbose --watchAll=", operands: "names" },
  mypy: { options: "--strict", operands: "names" },
  "npm run": SCRIPTS,
  "npm test": SCRIPTS,
  "pnpm run": SCRIPTS,
  "pnpm test": SCRIPTS,
  prettier: { options: "-lwu --check --list-different --write", operands: "names" },
  pytest: { options: "-qvxsk:m: --ff --lf --tb=", operands: "names" },
  "ruff check": { ...CHECKER, options: "-q --fix" },
  "ruff format": { ...CHECKER, options: "-q --check" },
  tsc: { options: "--noEmit --pretty", operands: "none" },
  vitest: { options: "-ut: --run --silent", operands: "names" },
  "yarn run": SCRIPTS,
  "yarn test": SCRIPTS,
};

/** Subcommands that take one more word into the name: `npm run build`. */
const NAMED = /^(bun|npm|pnpm|yarn) run$/;
/** A program of which each target is allowed by itself. */
const EXACT = new Set(["make"]);

/** A rule that fits one command line as it stands. */
export const wholeLine = (line: string): string => `=${line.trim()}`;

/**
 * The rules that cover a line, for an approval that lasts: `git commit *` with the options that are known for it, else each
 * command exactly as it stands. Empty when the line is not simple: then it can only be allowed as a whole.
 */
export function rulesFor(line: string): readonly string[] {
  const commands = readSimpleLine(line) ?? [];
  return [...new Set(commands.map((command) => familyRule(command) ?? exact(command)))];
}

/** Whether rules allow a whole line: each of its commands fits one of them. A line that is not simple is covered by itself only. */
export function covers(rules: readonly string[], line: string): boolean {
  if (rules.includes(wholeLine(line))) return true;
  const commands = readSimpleLine(line);
  return commands !== undefined && commands.every((command) => rules.some((rule) => fits(rule, command)));
}

function fits(rule: string, command: SimpleCommand): boolean {
  if (!rule.endsWith(" *")) return rule === exact(command);
  const head = rule.slice(0, -2).split(" ");
  const [first = ""] = head;
  if (first === "" || head.some((word, at) => command.words[at]?.text !== word)) return false;
  if (EXACT.has(first) || Object.hasOwn(UNASKED_PROGRAMS, first))
    return follows(UNASKED_PROGRAMS[first], command, head.length);
  return follows(familyOf(head), command, head.length);
}

/** The entry for a rule's first words; of a program that is not known, plain words may follow. */
function familyOf(head: readonly string[]): UnaskedProgram | undefined {
  const two = head.slice(0, 2).join(" ");
  const named = NAMED.test(two);
  const known = Object.hasOwn(FAMILIES, two)
    ? FAMILIES[two]
    : Object.hasOwn(FAMILIES, head[0] ?? "")
      ? FAMILIES[head[0] ?? ""]
      : undefined;
  if (named && head.length < 3) return undefined;
  if (known !== undefined) return entryOf(known);
  const hasFamilies = Object.keys(FAMILIES).some((name) => name.startsWith(`${head[0]} `));
  return hasFamilies ? undefined : entryOf({ options: "", operands: "names" });
}

const entries = new WeakMap<Family, UnaskedProgram>();

function entryOf(family: Family): UnaskedProgram {
  const known = entries.get(family);
  const entry = known ?? { options: family.options, operands: family.operands };
  entries.set(family, entry);
  return entry;
}

function follows(entry: UnaskedProgram | undefined, { words }: SimpleCommand, from: number): boolean {
  return entry !== undefined && checkWords(entry, words.slice(from)) !== undefined;
}

function familyRule(command: SimpleCommand): string | undefined {
  const texts = command.words.map(({ text }) => text);
  const [program = "", next = "", third = ""] = texts;
  const two = `${program} ${next}`;
  const head = Object.hasOwn(FAMILIES, two)
    ? NAMED.test(two)
      ? [program, next, third]
      : [program, next]
    : [program];
  const isKnown = Object.hasOwn(FAMILIES, two) || Object.hasOwn(FAMILIES, program);
  if (!isKnown || head.some((word) => !/^[\w:.@-]+$/.test(word) || word.startsWith("-"))) return undefined;
  return fits(`${head.join(" ")} *`, command) ? `${head.join(" ")} *` : undefined;
}

/** A command with the same quotes always, so that two spellings of it are one text. */
function exact({ words, redirections }: SimpleCommand): string {
  const texts = words.map(({ text, isPattern }) => (isPattern ? text : quoted(text)));
  const line = [...texts, ...redirections].join(" ");
  return words.some(({ isPattern }) => isPattern) || /[*=]/.test(line) ? `=${line}` : line;
}
