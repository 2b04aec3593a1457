import type { SimpleCommand } from "./commands.ts";
import { classifyFind } from "./classify-find.ts";
import { classifyGit } from "./classify-git.ts";
import type { Harmless, PathUse } from "./harmless.ts";
import { READ_ONLY, type ReadOnlyUsage } from "./read-only.ts";
import { hasGlob, literalText, startsWithGlob, type Word } from "./words.ts";

/** Programs that say their version and do nothing else. */
const VERSIONED = new Set(
  (
    "node npm npx pnpm yarn bun deno python python2 python3 pip pip3 uv poetry ruby gem perl php composer go cargo " +
    "rustc rustup java javac kotlin scala gcc g++ cc clang clang++ make cmake ninja git gh docker kubectl terraform " +
    "bash zsh tsc rg grep sed awk jq curl wget tar zip unzip ssh sqlite3 psql swift dotnet mvn gradle ffmpeg"
  ).split(" "),
);

/** What a command may do without anybody being asked; `undefined` when it might do more. */
export function classify(command: SimpleCommand): Harmless | undefined {
  const [first, ...args] = command.words;
  const name = first === undefined ? undefined : literalText(first)?.replace(/^(\/usr)?\/bin\//, "");
  if (name === undefined || command.assignments.length > 0) return undefined;
  const inputs = readInputs(command);
  const found = inputs && classifyCommand(name, args);
  return found && { ...found, paths: [...found.paths, ...inputs] };
}

function classifyCommand(name: string, args: readonly Word[]): Harmless | undefined {
  if (isVersionQuestion(name, args)) return { creates: false, paths: [] };
  switch (name) {
    case "cd":
      return classifyCd(args);
    case "command":
      return isOneOf(args[0], ["-v", "-V"]) ? textOnly(args.slice(1)) : undefined;
    case "printf":
      // `-v` sets a variable.
      return args[0] !== undefined && literalText(args[0])?.startsWith("-") === false
        ? textOnly(args)
        : undefined;
    case "date":
      return classifyUsage(
        args.filter((arg) => literalText(arg)?.startsWith("+") !== true),
        READ_ONLY["date"],
      );
    case "test":
    case "[":
      return classifyTest(args);
    case "sed":
      return classifySed(args);
    case "find":
      return classifyFind(args);
    case "git":
      return classifyGit(args);
    default:
      return classifyUsage(args, Object.hasOwn(READ_ONLY, name) ? READ_ONLY[name] : undefined);
  }
}

const isOneOf = (word: Word | undefined, texts: readonly string[]): boolean =>
  word !== undefined && texts.includes(literalText(word) ?? "");

function isVersionQuestion(name: string, args: readonly Word[]): boolean {
  if (args.length !== 1) return false;
  if (isOneOf(args[0], ["version"])) return name === "go" || name === "cargo";
  return VERSIONED.has(name) && isOneOf(args[0], ["--version", "-V", "-v", "-version"]);
}

/** Input and output: only `/dev/null` is written to, and what is read is a path like any other. */
function readInputs({ redirects }: SimpleCommand): readonly PathUse[] | undefined {
  const inputs: PathUse[] = [];
  for (const { operator, target } of redirects) {
    const path = literalText(target);
    if (path === undefined || hasGlob(target)) return undefined;
    const duplicates = (operator === ">&" || operator === "<&") && /^(\d+|-)$/.test(path);
    if (duplicates || (path === "/dev/null" && operator !== "<>" && operator !== "<<<")) continue;
    if (operator !== "<") return undefined;
    inputs.push({ path, glob: false, writes: false });
  }
  return inputs;
}

/** Words that are only printed; a pattern among them shows names of files. */
function textOnly(words: readonly Word[]): Harmless {
  const globs = words.filter((word) => hasGlob(word));
  if (globs.some((word) => literalText(word) === undefined)) return { creates: false, paths: [NOWHERE] };
  return { creates: false, paths: globs.map((word) => pathUse(word)) };
}

const NOWHERE: PathUse = { path: "/", glob: true, writes: false };

function pathUse(word: Word, writes = false): PathUse {
  return { path: literalText(word) ?? "/", glob: hasGlob(word), writes };
}

function classifyCd(args: readonly Word[]): Harmless | undefined {
  const [target, ...more] = args;
  const path = target && literalText(target);
  if (
    target === undefined ||
    path === undefined ||
    more.length > 0 ||
    path.startsWith("-") ||
    hasGlob(target)
  ) {
    return undefined;
  }
  return { creates: false, paths: [pathUse(target)], enters: path };
}

function classifyTest(args: readonly Word[]): Harmless | undefined {
  const operands = args.filter((arg) => literalText(arg)?.startsWith("-") !== true);
  // Comparing variables is fine; a path that is in one is not known.
  const paths = operands.flatMap((word) => (literalText(word) === undefined ? [] : [pathUse(word)]));
  const isFileTest = args.some((arg) =>
    /^-(?!n$|z$|eq$|ne$|lt$|le$|gt$|ge$|a$|o$)/.test(literalText(arg) ?? ""),
  );
  return isFileTest && paths.length < operands.length ? undefined : { creates: false, paths };
}

/** `sed -n '10,20p' file`: any other script could write files or run commands. */
function classifySed(args: readonly Word[]): Harmless | undefined {
  const texts = args.map(literalText);
  const [option, script, ...files] = texts;
  if (
    option !== "-n" ||
    script === undefined ||
    files.some((file) => file === undefined || file.startsWith("-"))
  ) {
    return undefined;
  }
  const line = String.raw`(\d+|\$)(,(\d+|\$))?[pq]`;
  if (!new RegExp(`^\\s*${line}(\\s*;\\s*${line})*\\s*;?\\s*$`).test(script)) return undefined;
  return { creates: false, paths: args.slice(2).map((word) => pathUse(word)) };
}

function classifyUsage(args: readonly Word[], usage: ReadOnlyUsage | undefined): Harmless | undefined {
  if (usage === undefined) return undefined;
  const operands: Word[] = [];
  let optionsOver = false;
  let pattern = usage.operands === "pattern";
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at];
    if (word === undefined) break;
    const text = literalText(word);
    if (!optionsOver && usage.hasDangerousOptions === true && startsWithGlob(word)) return undefined;
    if (text === undefined || optionsOver || !text.startsWith("-") || text === "-") {
      if (text === undefined && usage.operands !== "text") return undefined;
      operands.push(word);
      continue;
    }
    if (usage.operands === "text" && usage.flags === undefined) {
      operands.push(word);
      continue;
    }
    if (text === "--") optionsOver = true;
    else {
      const option = readOption(text, usage);
      if (option === undefined) return undefined;
      if (option.isPattern) pattern = false;
      if (option.takesNext) at += 1;
      // The first name becomes the value, the others become operands.
      if (option.takesNext && !isOneWord(args[at])) return undefined;
    }
  }
  const [text] = operands;
  const isText = pattern && text !== undefined && !hasGlob(text);
  return fromOperands(isText ? operands.slice(1) : operands, usage);
}

const isOneWord = (word: Word | undefined): boolean =>
  word === undefined || (literalText(word) !== undefined && !hasGlob(word));

function fromOperands(operands: readonly Word[], usage: ReadOnlyUsage): Harmless | undefined {
  if (usage.operands === "none" && operands.length > 0) return undefined;
  if (operands.length > (usage.mostOperands ?? Number.POSITIVE_INFINITY)) return undefined;
  if (usage.operands === "text") return textOnly(operands);
  const writes = usage.creates === true;
  const named = operands.filter((word) => literalText(word) !== "-");
  const file = usage.filesOnly === true;
  // A pattern could give directories.
  if (file && named.some((word) => hasGlob(word))) return undefined;
  return { creates: writes, paths: named.map((word) => ({ ...pathUse(word, writes), file })) };
}

interface Option {
  readonly takesNext: boolean;
  /** The pattern is given by an option, so that no operand is one. */
  readonly isPattern: boolean;
}

function readOption(text: string, usage: ReadOnlyUsage): Option | undefined {
  const isPatternUse = usage.operands === "pattern";
  if (text.startsWith("--")) {
    const name = text.slice(2).split("=")[0] ?? "";
    const isPattern = isPatternUse && (name === "regexp" || name === "files" || name === "type-list");
    const listed = usage.long?.split(" ").includes(name) === true || (isPatternUse && name === "regexp");
    const takesNext = !text.includes("=") && usage.longValued?.split(" ").includes(name) === true;
    return listed ? { takesNext, isPattern } : undefined;
  }
  if (usage.numbers === true && /^-\d+$/.test(text)) return { takesNext: false, isPattern: false };
  const valued = `${usage.valued ?? ""}${isPatternUse ? "e" : ""}`;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (valued.includes(letter)) {
      return { takesNext: at === text.length - 1, isPattern: isPatternUse && letter === "e" };
    }
    if (usage.flags?.includes(letter) !== true) return undefined;
  }
  return { takesNext: false, isPattern: false };
}
