import { forTerminal } from "../terminal/terminal-text.ts";
import { characters } from "../text/width.ts";

/** A text that is being written, its caret, and the steps that can be undone. Offsets count UTF-16 units. */
export interface TextEditor {
  readonly text: string;
  readonly caret: number;
  /** The texts behind the chips that stand for long pastes, by the words of the chip. */
  readonly pastes: ReadonlyMap<string, string>;
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** What was cut last, for Ctrl+Y. */
  readonly cut: string;
}

interface Snapshot {
  readonly text: string;
  readonly caret: number;
}

export const EMPTY_EDITOR: TextEditor = {
  text: "",
  caret: 0,
  pastes: new Map(),
  undo: [],
  redo: [],
  cut: "",
};

const MOST_UNDO = 200;
/** A paste of more lines or characters than this is shown as a chip. */
const CHIP = { lines: 5, characters: 2000 };

/** Replaces a part of the text; the caret stands behind what is new. */
function replace(
  editor: TextEditor,
  from: number,
  change: { readonly to: number; readonly by: string },
): TextEditor {
  const by = forTerminal(change.by);
  const text = editor.text.slice(0, from) + by + editor.text.slice(change.to);
  if (text === editor.text) return { ...editor, caret: from + by.length };
  const undo = [...editor.undo, { text: editor.text, caret: editor.caret }].slice(-MOST_UNDO);
  return { ...editor, text, caret: from + by.length, undo, redo: [] };
}

export const insert = (editor: TextEditor, text: string): TextEditor =>
  replace(editor, editor.caret, { to: editor.caret, by: text });

/** Puts another text in the place of all of it. */
export const setText = (editor: TextEditor, text: string): TextEditor =>
  replace(editor, 0, { to: editor.text.length, by: text });

/** A text that was pasted: a long one becomes a chip. It never submits. */
export function paste(editor: TextEditor, pasted: string): TextEditor {
  const text = forTerminal(pasted.replaceAll(/\r\n?/g, "\n"));
  const lines = text.replace(/\n$/, "").split("\n").length;
  if (lines <= CHIP.lines && text.length <= CHIP.characters) return insert(editor, text);
  const chip = `[Pasted #${editor.pastes.size + 1}: ${lines === 1 ? `${text.length} characters` : `${lines} lines`}]`;
  return insert({ ...editor, pastes: new Map([...editor.pastes, [chip, text]]) }, chip);
}

/** The text as it is sent: chips are replaced by what they stand for. */
export function expanded({ text, pastes }: TextEditor): string {
  return [...pastes].reduce((all, [chip, pasted]) => all.replaceAll(chip, () => pasted), text);
}

export const undo = (editor: TextEditor): TextEditor => step(editor, "undo", "redo");

export const redo = (editor: TextEditor): TextEditor => step(editor, "redo", "undo");

function step(editor: TextEditor, from: "undo" | "redo", to: "undo" | "redo"): TextEditor {
  const before = editor[from].at(-1);
  if (before === undefined) return editor;
  const here = { text: editor.text, caret: editor.caret };
  return { ...editor, ...before, [from]: editor[from].slice(0, -1), [to]: [...editor[to], here] };
}

/** A way in which the caret can move. */
export type CaretMotion =
  | "left"
  | "right"
  | "wordLeft"
  | "wordRight"
  | "lineStart"
  | "lineEnd"
  | "textStart"
  | "textEnd";

export const move = (editor: TextEditor, motion: CaretMotion): TextEditor => ({
  ...editor,
  caret: target(editor, motion),
});

/** Deletes from the caret to where a motion goes; more than a character is kept for `yank`. */
export function removeText(editor: TextEditor, motion: CaretMotion): TextEditor {
  const to = target(editor, motion);
  const [from, until] = to < editor.caret ? [to, editor.caret] : [editor.caret, to];
  const gone = editor.text.slice(from, until);
  const next = replace(editor, from, { to: until, by: "" });
  return motion === "left" || motion === "right" ? next : { ...next, cut: gone === "" ? editor.cut : gone };
}

export const yank = (editor: TextEditor): TextEditor => insert(editor, editor.cut);

function target({ text, caret, pastes }: TextEditor, motion: CaretMotion): number {
  switch (motion) {
    case "left":
      return caret - before(text, caret, pastes);
    case "right":
      return caret + (characters(text.slice(caret, caret + 64))[0]?.length ?? 0);
    case "wordLeft":
      return wordStart(text.slice(0, caret).trimEnd());
    case "wordRight":
      return caret + (/^\s*\S*/.exec(text.slice(caret))?.[0].length ?? 0);
    case "lineStart":
      return text.lastIndexOf("\n", caret - 1) + 1;
    case "lineEnd": {
      const end = text.indexOf("\n", caret);
      return end === -1 ? text.length : end;
    }
    case "textStart":
      return 0;
    case "textEnd":
      return text.length;
  }
}

/** Where the word begins that a text ends with. */
function wordStart(text: string): number {
  let start = text.length;
  while (start > 0 && /\S/.test(text.charAt(start - 1))) start -= 1;
  return start;
}

/** Units of the character, or of the chip, that ends at the caret. */
function before(text: string, caret: number, pastes: TextEditor["pastes"]): number {
  const chip = [...pastes.keys()].find((each) => text.endsWith(each, caret));
  return chip?.length ?? characters(text.slice(Math.max(0, caret - 64), caret)).at(-1)?.length ?? 0;
}
