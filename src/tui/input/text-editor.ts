import { forTerminal } from "../terminal/terminal-text.ts";
import { characters } from "../text/width.ts";
import { NOTHING_WRITTEN, type Written, withItsPastes } from "./written.ts";

/** A text that is being written, its caret, and the steps that can be undone. Offsets count UTF-16 units. */
export interface TextEditor extends Snapshot {
  readonly undo: readonly Snapshot[];
  readonly redo: readonly Snapshot[];
  /** What was cut last, for Ctrl+Y. */
  readonly cut: Written;
}

interface Snapshot extends Written {
  readonly caret: number;
}

export const EMPTY_EDITOR: TextEditor = {
  text: "",
  caret: 0,
  pastes: new Map(),
  undo: [],
  redo: [],
  cut: NOTHING_WRITTEN,
};

const MOST_UNDO = 200;
/** A paste of more lines or characters than this is shown as a chip. */
const CHIP = { lines: 5, characters: 2000 };

/** Replaces a part of the text; the caret stands behind what is new. */
function replace(
  editor: TextEditor,
  from: number,
  change: { readonly to: number; readonly by: string; readonly pastes?: Written["pastes"] },
): TextEditor {
  const by = forTerminal(change.by);
  const { pastes = editor.pastes } = change;
  const text = editor.text.slice(0, from) + by + editor.text.slice(change.to);
  if (text === editor.text && pastes === editor.pastes) return { ...editor, caret: from + by.length };
  const undo = [...editor.undo, snapshot(editor)].slice(-MOST_UNDO);
  return { ...editor, ...withItsPastes(text, pastes), caret: from + by.length, undo, redo: [] };
}

const snapshot = ({ text, caret, pastes }: TextEditor): Snapshot => ({ text, caret, pastes });

export const insert = (editor: TextEditor, text: string): TextEditor =>
  replace(editor, editor.caret, { to: editor.caret, by: text });

/** Puts another text in the place of all of it. */
export const setText = (editor: TextEditor, text: string): TextEditor =>
  replace(editor, 0, { to: editor.text.length, by: text });

/** Puts another text with its own chips in the place of all of it. */
export const setWritten = (editor: TextEditor, { text, pastes }: Written): TextEditor =>
  replace(editor, 0, { to: editor.text.length, by: text, pastes });

/** A text that was pasted: a long one becomes a chip. It never submits. */
export function paste(editor: TextEditor, pasted: string): TextEditor {
  const text = forTerminal(pasted.replaceAll(/\r\n?/g, "\n"));
  const lines = text.replace(/\n$/, "").split("\n").length;
  if (lines <= CHIP.lines && text.length <= CHIP.characters) return insert(editor, text);
  const size = lines === 1 ? `${text.length} characters` : `${lines} lines`;
  return insertChip(editor, { size, text });
}

/** Inserts a chip under a number that stands nowhere in the text yet, not even as words that a person typed. */
function insertChip(editor: TextEditor, { size, text }: { readonly size: string; readonly text: string }) {
  let number = editor.pastes.size + 1;
  while (editor.text.includes(`[Pasted #${number}: `)) number += 1;
  const chip = `[Pasted #${number}: ${size}]`;
  const pastes = new Map([...editor.pastes, [chip, text]]);
  return replace(editor, editor.caret, { to: editor.caret, by: chip, pastes });
}

export const undo = (editor: TextEditor): TextEditor => step(editor, "undo", "redo");

export const redo = (editor: TextEditor): TextEditor => step(editor, "redo", "undo");

function step(editor: TextEditor, from: "undo" | "redo", to: "undo" | "redo"): TextEditor {
  const before = editor[from].at(-1);
  if (before === undefined) return editor;
  return { ...editor, ...before, [from]: editor[from].slice(0, -1), [to]: [...editor[to], snapshot(editor)] };
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
  const gone = withItsPastes(editor.text.slice(from, until), editor.pastes);
  const next = replace(editor, from, { to: until, by: "" });
  return motion === "left" || motion === "right"
    ? next
    : { ...next, cut: gone.text === "" ? editor.cut : gone };
}

/** Inserts what was cut. A chip of it gets another number when the text has one of these words already. */
export function yank(editor: TextEditor): TextEditor {
  const { text, pastes } = editor.cut;
  let next = editor;
  let rest = text;
  for (const [chip, pasted] of inOrder(editor.cut)) {
    const at = rest.indexOf(chip);
    const size = chip.slice(chip.indexOf(": ") + 2, -1);
    next = insertChip(insert(next, rest.slice(0, at)), { size, text: pasted });
    rest = rest.slice(at + chip.length);
  }
  return pastes.size === 0 ? insert(editor, text) : insert(next, rest);
}

const inOrder = ({ text, pastes }: Written) =>
  [...pastes].toSorted(([one], [other]) => text.indexOf(one) - text.indexOf(other));

function target({ text, caret, pastes }: TextEditor, motion: CaretMotion): number {
  switch (motion) {
    case "left":
      return caret - before(text, caret, pastes);
    case "right":
      return caret + behind(text, caret, pastes);
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

/** Units of the character, or of the chip, that begins at the caret. */
function behind(text: string, caret: number, pastes: TextEditor["pastes"]): number {
  const chip = [...pastes.keys()].find((each) => text.startsWith(each, caret));
  return chip?.length ?? characters(text.slice(caret, caret + 64))[0]?.length ?? 0;
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
