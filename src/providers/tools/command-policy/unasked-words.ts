import { wordList } from "../../../shared/text/word-list.ts";
import type { SimpleWord } from "./simple-line.ts";
import type { UnaskedProgram } from "./unasked-programs.ts";

/** The words of a program, checked and put in order. */
export interface CheckedWords {
  readonly options: readonly string[];
  readonly operands: readonly SimpleWord[];
  /** Words among the operands and options that name files or folders. */
  readonly paths: readonly SimpleWord[];
}

interface OptionTable {
  readonly letters: string;
  readonly valued: string;
  readonly numbers: boolean;
  /** Long names, with whether a value stands nowhere, behind `=`, or there or in the next word. */
  readonly long: ReadonlyMap<string, "none" | "joined" | "next">;
}

const tables = new WeakMap<UnaskedProgram, OptionTable>();

/** Checks a program's words against its entry; `undefined` when one of them is not listed there. */
export function checkWords(
  program: Pick<UnaskedProgram, "options" | "operands">,
  words: readonly SimpleWord[],
): CheckedWords | undefined {
  if (program.operands === "find") return checkFind(words);
  if (program.operands === "sed") return checkSed(words);
  const options: string[] = [];
  const operands: SimpleWord[] = [];
  let isOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    if (isOver || !word.text.startsWith("-") || word.text === "-") operands.push(word);
    else if (word.text === "--") isOver = true;
    else {
      const takes = optionIn(tableOf(program), word.text);
      if (takes === undefined) return undefined;
      const value = takes === 2 ? words[at + 1] : undefined;
      if (takes === 2 && value === undefined) return undefined;
      options.push(word.text, ...(value === undefined ? [] : [value.text]));
      at += takes - 1;
    }
  }
  return fits(program, options, operands)
    ? { options, operands, paths: pathsIn(program, options, operands) }
    : undefined;
}

function fits(
  { operands: kind }: UnaskedProgram,
  options: readonly string[],
  operands: readonly SimpleWord[],
): boolean {
  switch (kind) {
    case "none":
      return operands.length === 0;
    case "format":
      return operands.every(({ text }) => text.startsWith("+"));
    case "text":
      return operands.every(({ text, isPattern }) => !isPattern && !text.startsWith("-"));
    case "names":
      return operands.every(
        ({ text, isPattern }) =>
          !isPattern && /^(?!-)[\w@%+,.:/-]+$/.test(text) && !/^\/|(^|\/)\.\.(\/|$)/.test(text),
      );
    case "refs":
      return operands.every(
        ({ text, isPattern }) => !isPattern && /^\w[\w./-]*$/.test(text) && !text.includes(".."),
      );
    case "pattern":
      return hasPattern(options) || (operands[0] !== undefined && !operands[0].isPattern);
    case "paths":
    case "find":
    case "sed":
      return true;
  }
}

/** Whether an option says what to look for, so that no operand does. */
const hasPattern = (options: readonly string[]): boolean =>
  options.some((option) => /^(-[^-]*e|--regexp|--files$|--type-list$)/.test(option));

function pathsIn(
  { operands: kind }: UnaskedProgram,
  options: readonly string[],
  operands: readonly SimpleWord[],
): readonly SimpleWord[] {
  if (kind === "pattern") return hasPattern(options) ? operands : operands.slice(1);
  return kind === "paths" ? operands : [];
}

function tableOf(program: UnaskedProgram): OptionTable {
  const known = tables.get(program);
  if (known !== undefined) return known;
  const long = new Map<string, "none" | "joined" | "next">();
  let letters = "";
  let valued = "";
  for (const token of program.options.split(" ")) {
    const [, name = "", end = ""] = /^--([\w-]+)([=:]?)$/.exec(token) ?? [];
    if (name !== "")
      long.set(name, end === "" ? (long.get(name) ?? "none") : end === "=" ? "joined" : "next");
    else
      for (const [, letter = "", colon = ""] of token.slice(1).matchAll(/([^:])(:?)/g))
        if (colon === "") letters += letter;
        else valued += letter;
  }
  const table = { letters, valued, numbers: program.options.includes("-#"), long };
  tables.set(program, table);
  return table;
}

/** How many words an option takes; `undefined` for one that is not listed, or is written in an abbreviated form. */
function optionIn({ letters, valued, numbers, long }: OptionTable, text: string): 1 | 2 | undefined {
  const [, name, value] = /^--([\w-]+)(=.*)?$/s.exec(text) ?? [];
  if (name !== undefined) {
    const takes = long.get(name);
    if (takes === undefined || (takes === "none" && value !== undefined)) return undefined;
    return takes === "next" && value === undefined ? 2 : 1;
  }
  if (numbers && /^-\d+$/.test(text)) return 1;
  for (let at = 1; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (valued.includes(letter)) return at === text.length - 1 ? 2 : 1;
    if (!letters.includes(letter) || letter === "#") return undefined;
  }
  return 1;
}

const FIND_ALONE = new Set(
  wordList(
    "-print -print0 -ls -true -false -quit -prune -empty -depth -mount -xdev -not -and -or -a -o ! ( ) ,",
  ),
);
const FIND_TEXT = new Set(
  wordList(
    "-name -iname -path -ipath -regex -iregex -regextype -type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -links -printf",
  ),
);
const FIND_PATH = new Set(["-newer", "-anewer", "-cnewer", "-samefile"]);

/** Folders first, then tests; the only actions print. A pattern of file names is taken as the text that it is. */
function checkFind(words: readonly SimpleWord[]): CheckedWords | undefined {
  const operands: SimpleWord[] = [];
  const options: string[] = [];
  const compared: SimpleWord[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at];
    if (word === undefined) break;
    const { text } = word;
    const value = words[at + 1];
    if (FIND_ALONE.has(text)) options.push(text);
    else if (FIND_TEXT.has(text) || FIND_PATH.has(text)) {
      if (value === undefined) return undefined;
      if (FIND_PATH.has(text)) compared.push({ ...value, isPattern: false });
      options.push(text, value.text);
      at += 1;
    } else if (options.length > 0 || /^[-(),!]/.test(text)) return undefined;
    else operands.push(word);
  }
  if (operands.length === 0) operands.push({ text: ".", isPattern: false });
  return { options, operands, paths: [...operands, ...compared] };
}

const SED_LINES = /^\s*(\d+|\$)(,(\d+|\$))?p\s*(;\s*(\d+|\$)(,(\d+|\$))?p\s*)*$/;

function checkSed([option, script, ...files]: readonly SimpleWord[]): CheckedWords | undefined {
  if (option?.text !== "-n" || script === undefined || !SED_LINES.test(script.text)) return undefined;
  if (files.some(({ text }) => text.startsWith("-"))) return undefined;
  return { options: ["-n", "-e", script.text], operands: files, paths: files };
}
