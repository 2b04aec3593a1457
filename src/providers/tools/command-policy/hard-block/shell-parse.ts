import { wordList } from "../../../../shared/text/word-list.ts";
import type { CommandLine, ParsedJoint, Redirect, ParsedCommand } from "./command-line.ts";
import { Reader } from "./reader.ts";
import { scanWord, type WordScanSink } from "./word-scan.ts";
import { literalText, type Word } from "./words.ts";

/** Words that the shell itself understands at the place of a command. */
const RESERVED = new Set(
  wordList(
    "if then elif else fi for select while until do done case in esac function coproc time { } ! [[ ]]",
  ),
);

/** A number before it says which output or input is meant; nothing here depends on which. */
const REDIRECT = /\d*(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<|>)/y;
const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/;
const DEEPEST = 20;

/** Whether a line has control characters or blanks that are none to the shell: whoever reads the line sees something else than it runs. */
const isDeceptive = (text: string): boolean =>
  /[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]--[ \t\n]]/v.test(text);

/**
 * Reads a command line of the shell. What is more than words, quotes, plain variables, pipelines, lists and
 * redirections is named in `unread`; the commands in it are found all the same, as well as that can be done without
 * running them.
 */
export function parseShell(text: string): CommandLine {
  const parser = new Parser();
  if (isDeceptive(text)) parser.unread("invisible or deceptive characters");
  parser.script(text);
  return { commands: parser.commands, unread: [...parser.reasons] };
}

/** A command that is still being read. */
interface Draft {
  joint: ParsedJoint;
  assignments: { readonly name: string; readonly value: Word }[];
  words: Word[];
  redirects: Redirect[];
  input?: string;
  isList?: boolean;
}

interface HereDocument {
  readonly command: Draft;
  readonly end: string;
  readonly stripTabs: boolean;
  readonly expands: boolean;
}

class Parser implements WordScanSink {
  readonly commands: ParsedCommand[] = [];
  readonly reasons = new Set<string>();
  #depth = 0;

  unread(reason: string): void {
    this.reasons.add(reason);
  }

  script(text: string): void {
    this.#read(new Reader(text));
  }

  group(reader: Reader): void {
    this.#read(reader, { end: ")" });
  }

  /** Reads the values of an array up to its closing parenthesis, which it takes. */
  list(reader: Reader): void {
    this.#read(reader, { end: ")", isList: true });
  }

  #read(reader: Reader, part: ListPart = {}): void {
    if (this.#depth >= DEEPEST) {
      this.unread("too many levels");
      reader.at = reader.text.length;
      return;
    }
    this.#depth += 1;
    new ListParser(this, reader, part).run();
    this.#depth -= 1;
  }
}

/** What of a text is read: up to `end`, and whether as values instead of commands. */
interface ListPart {
  readonly end?: string;
  readonly isList?: boolean;
}

/** Reads commands and what joins them, up to the end of the text or of their group. */
class ListParser {
  readonly #parser: Parser;
  readonly #reader: Reader;
  readonly #part: ListPart;
  readonly #hereDocuments: HereDocument[] = [];
  #draft: Draft = emptyDraft("start");

  constructor(parser: Parser, reader: Reader, part: ListPart) {
    this.#parser = parser;
    this.#reader = reader;
    this.#part = part;
  }

  run(): void {
    const reader = this.#reader;
    while (!reader.done) {
      if (reader.peek() === this.#part.end) {
        reader.at += 1;
        break;
      }
      if (!this.#blank() && !this.#operator() && !this.#redirect()) this.#word();
    }
    this.#flush(";");
    if (this.#hereDocuments.length > 0) this.#parser.unread("a here-document without its text");
  }

  #blank(): boolean {
    const reader = this.#reader;
    if (reader.starts("\\\n")) reader.at += 2;
    else if (reader.peek() === " " || reader.peek() === "\t") reader.at += 1;
    else if (reader.peek() === "#") reader.take(/[^\n]*/y);
    else if (reader.peek() === "\n") {
      reader.at += 1;
      this.#flush(";");
      this.#readHereDocuments();
    } else return false;
    return true;
  }

  #operator(): boolean {
    const reader = this.#reader;
    if (reader.starts("&>")) return false;
    const operator = reader.take(/&&|\|\||\|&|;;&|;;|;&|[;&|()]/y);
    switch (operator) {
      case undefined:
        return false;
      case "&&":
      case "||":
      case "|":
      case ";":
        this.#flush(operator);
        break;
      case "|&":
        this.#flush("|");
        break;
      case "(":
        this.#parenthesis();
        break;
      default:
        // Without a group to end, it ends a pattern of `case`.
        if (operator === ")") this.#draft.isList = true;
        this.#parser.unread(operator === "&" ? "a background `&`" : `an unexpected \`${operator}\``);
        this.#flush(";");
    }
    return true;
  }

  /** A function's name before it, or a group of commands. */
  #parenthesis(): void {
    const { words, assignments } = this.#draft;
    const isFunction = words.length > 0 && this.#reader.take(/[ \t\n]*\)/y) !== undefined;
    this.#parser.unread(
      isFunction ? "a function" : assignments.length > 0 ? "an array" : "a group of commands",
    );
    if (isFunction) {
      this.#draft = emptyDraft(";");
      return;
    }
    this.#flush(";");
    if (assignments.length > 0) this.#parser.list(this.#reader);
    else this.#parser.group(this.#reader);
  }

  #redirect(): boolean {
    const reader = this.#reader;
    const found = reader.take(REDIRECT);
    if (found === undefined) return false;
    const operator = found.replace(/^\d+/, "");
    if (reader.peek() === "(" && (operator === "<" || operator === ">")) {
      this.#parser.unread("a process substitution");
      reader.at += 1;
      this.#parser.group(reader);
      this.#draft.words.push({ source: `${operator}(…)`, pieces: [{ kind: "opaque" }] });
      return true;
    }
    reader.take(/[ \t]*/y);
    const target = scanWord(reader, this.#parser);
    if (target.source === "") this.#parser.unread("a redirection to nothing");
    else if (operator === "<<" || operator === "<<-") this.#hereDocument(operator, target);
    else {
      if (operator === "<<<") {
        this.#parser.unread("a here-string");
        this.#draft.input = literalText(target) ?? "";
      }
      this.#draft.redirects.push({ operator, target });
    }
    return true;
  }

  #hereDocument(operator: string, target: Word): void {
    this.#parser.unread("a here-document");
    this.#hereDocuments.push({
      command: this.#draft,
      end: literalText(target) ?? target.source,
      stripTabs: operator === "<<-",
      expands: target.pieces.every((piece) => piece.kind !== "literal" || !piece.quoted),
    });
  }

  #readHereDocuments(): void {
    for (const { command, end, stripTabs, expands } of this.#hereDocuments.splice(0)) {
      const lines: string[] = [];
      while (!this.#reader.done) {
        const { taken: line } = this.#reader.through("\n");
        if ((stripTabs ? line.replace(/^\t+/, "") : line) === end) break;
        lines.push(line);
      }
      command.input = lines.join("\n");
      // The shell runs substitutions in the text; as a quoted word they are found like anywhere else.
      if (expands) scanWord(new Reader(`"${command.input.replaceAll('"', " ")}"`), this.#parser);
    }
  }

  #word(): void {
    const word = scanWord(this.#reader, this.#parser);
    const draft = this.#draft;
    const atCommand = draft.words.length === 0;
    if (atCommand && RESERVED.has(word.source)) {
      this.#parser.unread(`the shell's own \`${word.source}\``);
      this.#reserved(word.source);
      return;
    }
    const assignment = atCommand ? ASSIGNMENT.exec(word.source) : null;
    if (assignment === null) {
      draft.words.push(word);
      return;
    }
    const [head = "", name = ""] = assignment;
    this.#parser.unread("an assignment");
    const value = scanWord(new Reader(word.source.slice(head.length)), this.#parser);
    draft.assignments.push({ name, value });
  }

  /** What follows these words is no command: a name, or a variable with values that are not known here. */
  #reserved(word: string): void {
    if (word === "case" || word === "in") this.#draft.isList = true;
    if (word === "time") this.#reader.take(/[ \t]+-p(?=\s)/y);
    if (word !== "function" && word !== "for" && word !== "select") return;
    this.#reader.take(/[ \t]*/y);
    const name = scanWord(this.#reader, this.#parser).source;
    if (word === "function") this.#reader.take(/[ \t]*\([ \t]*\)/y);
    else this.#draft.assignments.push({ name, value: { source: "", pieces: [{ kind: "opaque" }] } });
    this.#flush(";");
  }

  #flush(next: ParsedJoint): void {
    const { words, assignments, redirects } = this.#draft;
    if (this.#part.isList === true) this.#draft.isList = true;
    if (words.length + assignments.length + redirects.length > 0) this.#parser.commands.push(this.#draft);
    this.#draft = emptyDraft(next);
  }
}

function emptyDraft(joint: ParsedJoint): Draft {
  return { joint, assignments: [], words: [], redirects: [] };
}
