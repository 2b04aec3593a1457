import { decodeAnsi } from "./ansi-quotes.ts";
import type { Reader } from "./reader.ts";
import { hasBraces, type WordPiece, type Word } from "./words.ts";

/** The receiver of findings while a word is scanned. */
export interface WordScanSink {
  /** The line cannot be read completely, for this reason. */
  unread(reason: string): void;
  /** Reads commands up to a closing parenthesis, which it takes. */
  group(reader: Reader): void;
  /** Reads a text of commands. */
  script(text: string): void;
}

const META = " \t\n;&|<>()";
const VARIABLE = /\$([A-Za-z_]\w*|[0-9@*#?$!-])/y;
const BRACED_VARIABLE = /\$\{([A-Za-z_]\w*|[0-9@*#?$!-])\}/y;
const HOME = /~(?=[\s/;&|<>()]|$)/y;
const ECHO = /^\s*(?:echo|printf)((?:\s+[\w@%+:.,/*~${}\\'"-]+)+)\s*$/;
/** An option or a format: no word that is printed as it stands. */
const UNPRINTED = /^(-[neE-]+|['"]?%[sb](\\n)?['"]?)$/;
const HOME_NAMES = /^["']?(?:~|\$HOME|\$\{HOME\})\/?["']?$/;
/** An expansion with a value for a variable that is not set. */
const OR_ELSE = /^\$\{[A-Za-z_]\w*:?[-=]["']?([\w@%+:.,/*~-]+)["']?\}$/;
const OTHER_HOME = /~[^\s/;&|<>()]*/y;

/** Takes the word at the reader's place. */
export function scanWord(reader: Reader, around: WordScanSink): Word {
  const start = reader.at;
  const scan = new WordScan(reader, around);
  const pieces = scan.run();
  const word = { source: reader.text.slice(start, reader.at), pieces };
  if (hasBraces(word)) around.unread("a brace expansion");
  return word;
}

class WordScan {
  readonly #reader: Reader;
  readonly #around: WordScanSink;
  readonly #pieces: WordPiece[] = [];

  constructor(reader: Reader, around: WordScanSink) {
    this.#reader = reader;
    this.#around = around;
  }

  run(): readonly WordPiece[] {
    const reader = this.#reader;
    if (reader.peek() === "~") this.#tilde();
    while (!reader.done && !META.includes(reader.peek())) {
      if (reader.peek() === '"') this.#doubleQuoted();
      else if (reader.peek() === "'") this.#singleQuoted();
      else if (!this.#expansion(false)) this.#bare();
    }
    return this.#pieces;
  }

  #add(text: string, quoted: boolean): void {
    const last = this.#pieces.at(-1);
    if (last?.kind === "literal" && last.quoted === quoted) {
      this.#pieces[this.#pieces.length - 1] = { kind: "literal", text: last.text + text, quoted };
    } else this.#pieces.push({ kind: "literal", text, quoted });
  }

  #tilde(): void {
    if (this.#reader.take(HOME) !== undefined) {
      this.#pieces.push({ kind: "home" });
      return;
    }
    const user = this.#reader.take(OTHER_HOME)?.slice(1) ?? "";
    this.#around.unread("another user's home directory");
    this.#pieces.push({ kind: "opaque", text: user === "root" ? "/root" : `/home/${user}` });
  }

  #bare(): void {
    const reader = this.#reader;
    if (reader.peek() !== "\\") {
      this.#add(reader.peek(), false);
      reader.at += 1;
      return;
    }
    if (reader.peek(1) === "") this.#around.unread("a backslash at the end");
    // Before the end of a line it joins the lines.
    if (reader.peek(1) !== "\n") this.#add(reader.peek(1) === "" ? "\\" : reader.peek(1), true);
    reader.at += 2;
  }

  #singleQuoted(): void {
    this.#reader.at += 1;
    const { taken, found } = this.#reader.through("'");
    if (!found) this.#around.unread("an open quote");
    this.#add(taken, true);
  }

  #doubleQuoted(): void {
    const reader = this.#reader;
    reader.at += 1;
    this.#add("", true);
    while (!reader.done && reader.peek() !== '"') {
      if (reader.peek() === "\\" && '$`"\\\n'.includes(reader.peek(1)) && reader.peek(1) !== "") {
        if (reader.peek(1) !== "\n") this.#add(reader.peek(1), true);
        reader.at += 2;
      } else if (!this.#expansion(true)) {
        this.#add(reader.peek(), true);
        reader.at += 1;
      }
    }
    if (reader.done) this.#around.unread("an open quote");
    reader.at += 1;
  }

  /** Takes what `$` or a backquote begins here, if one does. */
  #expansion(quoted: boolean): boolean {
    const reader = this.#reader;
    if (reader.peek() === "`") {
      this.#backquoted(quoted);
      return true;
    }
    if (reader.peek() !== "$") return false;
    const variable = reader.take(VARIABLE) ?? reader.take(BRACED_VARIABLE);
    if (variable !== undefined) {
      this.#pieces.push({ kind: "variable", name: variable.replace(/^\$\{?|\}$/g, ""), quoted });
    } else if (reader.peek(1) === "(") {
      this.#around.unread("a substitution");
      reader.at += 2;
      const start = reader.at;
      this.#around.group(reader);
      this.#substituted(reader.text.slice(start, reader.at - 1), quoted);
    } else if (reader.peek(1) === "{") this.#operator();
    else if (!quoted && reader.peek(1) === "'") this.#ansiQuoted();
    else {
      if (!quoted && '"['.includes(reader.peek(1))) this.#around.unread("an unusual quote or expansion");
      // A translated string is its text; any other lone `$` is itself.
      if (quoted || reader.peek(1) !== '"') this.#add("$", quoted);
      reader.at += 1;
    }
    return true;
  }

  #backquoted(quoted: boolean): void {
    const reader = this.#reader;
    this.#around.unread("a substitution");
    reader.at += 1;
    let script = "";
    while (!reader.done && reader.peek() !== "`") {
      if (reader.peek() === "\\" && "`\\$".includes(reader.peek(1))) reader.at += 1;
      script += reader.peek();
      reader.at += 1;
    }
    reader.at += 1;
    this.#around.script(script);
    this.#substituted(script, quoted);
  }

  /** A command that only prints plain words is as good as the words. */
  #substituted(script: string, quoted: boolean): void {
    const [, said = ""] = ECHO.exec(script) ?? [];
    const text = said
      .split(/\s+/)
      .filter((word) => word !== "" && !UNPRINTED.test(word))
      .join(" ");
    if (HOME_NAMES.test(text)) this.#pieces.push({ kind: "home" });
    else if (text === "" || /[$\\]/.test(text)) this.#pieces.push({ kind: "opaque" });
    else this.#pieces.push({ kind: "opaque", text: text.replaceAll(/['"]/g, ""), quoted });
  }

  /** `${name:-value}` and its kin: what it gives is not known, but commands in it run. */
  #operator(): void {
    const reader = this.#reader;
    this.#around.unread("an expansion with an operator");
    const start = reader.at;
    const place = this.#pieces.push({ kind: "opaque" }) - 1;
    reader.at += 2;
    for (let depth = 1; depth > 0 && !reader.done;) {
      const char = reader.peek();
      if (char === "\\") reader.at += 2;
      else if (char === "'") {
        reader.at += 1;
        reader.through("'");
      } else if (char === "$" || char === "`") {
        if (reader.starts("${")) depth += 1;
        const inner = new WordScan(reader, this.#around);
        if (reader.starts("$(") || char === "`") inner.#expansion(true);
        else reader.at += reader.starts("${") ? 2 : 1;
      } else {
        if (char === "}") depth -= 1;
        reader.at += 1;
      }
    }
    const [, text] = OR_ELSE.exec(reader.text.slice(start, reader.at)) ?? [];
    if (text !== undefined) this.#pieces[place] = { kind: "opaque", text };
  }

  #ansiQuoted(): void {
    const reader = this.#reader;
    this.#around.unread("a quote with escapes");
    reader.at += 2;
    const start = reader.at;
    while (!reader.done && reader.peek() !== "'") reader.at += reader.peek() === "\\" ? 2 : 1;
    this.#add(decodeAnsi(reader.text.slice(start, reader.at)), true);
    reader.at += 1;
  }
}
