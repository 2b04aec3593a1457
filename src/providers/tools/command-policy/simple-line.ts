/** The way in which a command follows the one before it. */
type Joint = "" | "|" | "&&" | "||" | ";";

/** One word of a simple line. */
export interface SimpleWord {
  /** The word as its program gets it; a pattern of file names as it was written. */
  readonly text: string;
  /** An unquoted pattern that the shell would replace by file names. */
  readonly isPattern: boolean;
}

/** One program with its words. */
export interface SimpleCommand {
  readonly joint: Joint;
  readonly words: readonly SimpleWord[];
  /** Redirections that lose or merge output: `2>/dev/null`, `2>&1`. */
  readonly redirections: readonly string[];
}

const BLANK = /[ \t]+/y;
const JOINT = /&&|\|\||[|;]/y;
const REDIRECTION = /(?:[12]?>|&>|<)[ \t]*\/dev\/null(?=[ \t;|&]|$)|2>&1(?=[ \t;|&]|$)/y;
const bare = (): RegExp => /[\p{L}\p{N}_@%+=:,./^-]+|(?<=[\p{L}\p{N}_@^])~/uy;
const pattern = (): RegExp => /[*?]|\[[\p{L}\p{N}_!-]+\]/uy;
const ESCAPED = /\\[*?[\](){}!;&|'"$ ]/y;
const SINGLE = /'[^']*'/y;
const DOUBLE = /"(?:[^"$`\\!]|\\[^"$`\\\n])*"/y;
/** First words that are none of a program: of the shell's grammar, or an assignment. */
const GRAMMAR = /^(if|then|elif|else|fi|for|select|while|until|do|done|case|in|esac|function|coproc|time)$|=/;
const isPrintable = (text: string): boolean => /^[\p{L}\p{M}\p{N}\p{P}\p{S} \t]*$/u.test(text);
/** Characters beyond which nobody types a simple line. */
const LONGEST = 4000;

/**
 * Reads a line that consists of words, quotes without expansions, patterns of file names, pipes and lists.
 * Everything else makes it `undefined`: assignments, variables, substitutions, groups, redirections to files.
 * Takes time in proportion to the line.
 */
export function readSimpleLine(line: string): readonly SimpleCommand[] | undefined {
  const text = withoutBlanks(line);
  if (text.length > LONGEST || !isPrintable(text)) return undefined;
  const commands: SimpleCommand[] = [];
  let at = 0;
  const take = (token: RegExp): string | undefined => {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  for (let joint: Joint = ""; ;) {
    const words: SimpleWord[] = [];
    const redirections: string[] = [];
    let next: Joint | undefined;
    while (at < text.length && next === undefined) {
      if (take(BLANK) !== undefined) continue;
      const redirection = take(REDIRECTION);
      next = redirection === undefined ? (take(JOINT) as Joint | undefined) : undefined;
      if (redirection !== undefined) redirections.push(redirection);
      else if (next === undefined) {
        const word = readWord(take);
        if (word === undefined) return undefined;
        words.push(word);
      }
    }
    if (words[0] === undefined || GRAMMAR.test(words[0].text)) return undefined;
    commands.push({ joint, words, redirections });
    if (next === undefined) return commands;
    joint = next;
  }
}

/** A line without what a shell passes over at its ends. Other blanks are letters to it. */
export function withoutBlanks(line: string): string {
  let [start, end] = [0, line.length];
  while (start < end && " \t\n".includes(line.charAt(start))) start += 1;
  while (end > start && " \t\n".includes(line.charAt(end - 1))) end -= 1;
  return line.slice(start, end);
}

function readWord(take: (token: RegExp) => string | undefined): SimpleWord | undefined {
  let text = "";
  let isPattern = false;
  let isQuoted = false;
  for (let pieces = 0; ; pieces += 1) {
    const literal = (take(SINGLE) ?? take(DOUBLE))?.slice(1, -1) ?? take(ESCAPED)?.slice(1);
    const sign = literal === undefined ? take(pattern()) : undefined;
    const piece = literal ?? sign ?? take(bare());
    if (piece === undefined) return pieces === 0 ? undefined : { text, isPattern };
    // A class may stand for the sign that begins an option.
    if (sign !== undefined && text === "" && sign !== "*") return undefined;
    isQuoted ||= literal !== undefined;
    isPattern ||= sign !== undefined;
    // Which signs are quoted would have to be told apart.
    if (isQuoted && isPattern) return undefined;
    text += piece;
  }
}

/** A word as a shell reads it back unchanged. */
export const quoted = (text: string): string =>
  /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
