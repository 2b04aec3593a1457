import { firstBraceGroup } from "../../../../shared/text/brace-group.ts";

/** A part of a word. Only what is literal is known before the shell runs. */
export type WordPiece =
  | { readonly kind: "literal"; readonly text: string; readonly quoted: boolean }
  /** `$NAME`, also the special ones like `$@`. */
  | { readonly kind: "variable"; readonly name: string; readonly quoted: boolean }
  /** An unquoted `~` that stands for the home directory. */
  | { readonly kind: "home" }
  /** A substitution, or an expansion with an operator; `text` is its value when the letters say it. */
  | { readonly kind: "opaque"; readonly text?: string; readonly quoted?: boolean };

/** A word of a command as it was written, and what it is made of. */
export interface Word {
  readonly source: string;
  readonly pieces: readonly WordPiece[];
}

/** The word's text when it is known to the letter, apart from patterns of file names. */
export function literalText({ pieces }: Word): string | undefined {
  let text = "";
  for (const piece of pieces) {
    if (piece.kind !== "literal") return undefined;
    text += piece.text;
  }
  return text;
}

/** Values of variables: `null` for one that is set to something unknown, absent for one that is not set. */
export type Variables = Readonly<Record<string, string | null>>;

/** Stands where a value is unknown; no path and no command contains it. */
export const UNKNOWN_TEXT = "\u0000";

/**
 * What the shell makes of a word as far as it can be known: none, one or several. Patterns of file names stay as they
 * are, unknown values become {@link UNKNOWN_TEXT}.
 */
export function expandWord(word: Word, variables: Variables): readonly string[] {
  const fields = splitWord(word, variables);
  return hasBraces(word) ? fields.flatMap(expandBraces) : fields;
}

function splitWord({ pieces }: Word, variables: Variables): readonly string[] {
  const texts: string[] = [];
  let text = "";
  let started = false;
  for (const piece of pieces) {
    if (!isSplit(piece)) {
      text += pieceText(piece, variables);
      started ||= piece.kind !== "literal" || piece.quoted || piece.text !== "";
      continue;
    }
    // Blanks in a value, also at its ends, separate words.
    const [first = "", ...rest] = pieceText(piece, variables).split(/[ \t\n]+/);
    text += first;
    started ||= first !== "";
    for (const field of rest) {
      if (started) texts.push(text);
      text = field;
      started = field !== "";
    }
  }
  return started ? [...texts, text] : texts;
}

const isSplit = (piece: WordPiece): boolean =>
  (piece.kind === "variable" || piece.kind === "opaque") && piece.quoted === false;

/** Whether bash makes several words of `{a,b}` or `{1..3}` in it. */
export function hasBraces({ pieces }: Word): boolean {
  const bare = pieces.map((piece) => (piece.kind === "literal" && !piece.quoted ? piece.text : "x")).join("");
  return firstBraceGroup(bare, { ranges: true }) !== undefined;
}

const MOST_WORDS = 1000;

function expandBraces(text: string): readonly string[] {
  let texts: readonly string[] = [text];
  for (;;) {
    const next = texts.flatMap((text) => {
      const group = firstBraceGroup(text);
      if (group === undefined) return [text];
      const [before, after] = [text.slice(0, group.start), text.slice(group.end + 1)];
      const items = text.slice(group.start + 1, group.end).split(",", MOST_WORDS + 1);
      return items.map((item) => `${before}${item}${after}`);
    });
    if (next.length === texts.length || next.length > MOST_WORDS) return texts;
    texts = next;
  }
}

function pieceText(piece: WordPiece, variables: Variables): string {
  switch (piece.kind) {
    case "literal":
      return piece.text;
    case "variable":
      return valueOf(piece.name, variables);
    case "home":
      return valueOf("HOME", variables);
    case "opaque":
      return piece.text ?? UNKNOWN_TEXT;
  }
}

function valueOf(name: string, variables: Variables): string {
  const value = Object.hasOwn(variables, name) ? variables[name] : "";
  return value === null ? UNKNOWN_TEXT : (value ?? "");
}
