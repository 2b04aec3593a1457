import { type Editor, insert, move, redo, remove, undo, yank } from "../composer/editor.ts";
import type { Press } from "./press.ts";

const EDITS: Readonly<Record<string, (editor: Editor) => Editor>> = {
  left: (editor) => move(editor, "left"),
  right: (editor) => move(editor, "right"),
  "ctrl+b": (editor) => move(editor, "left"),
  "ctrl+f": (editor) => move(editor, "right"),
  "ctrl+left": (editor) => move(editor, "wordLeft"),
  "alt+left": (editor) => move(editor, "wordLeft"),
  "alt+b": (editor) => move(editor, "wordLeft"),
  "ctrl+right": (editor) => move(editor, "wordRight"),
  "alt+right": (editor) => move(editor, "wordRight"),
  "alt+f": (editor) => move(editor, "wordRight"),
  home: (editor) => move(editor, "lineStart"),
  "ctrl+a": (editor) => move(editor, "lineStart"),
  end: (editor) => move(editor, "lineEnd"),
  "ctrl+e": (editor) => move(editor, "lineEnd"),
  "ctrl+home": (editor) => move(editor, "textStart"),
  "ctrl+end": (editor) => move(editor, "textEnd"),
  backspace: (editor) => remove(editor, "left"),
  "ctrl+h": (editor) => remove(editor, "left"),
  delete: (editor) => remove(editor, "right"),
  "ctrl+d": (editor) => remove(editor, "right"),
  "ctrl+w": (editor) => remove(editor, "wordLeft"),
  "alt+backspace": (editor) => remove(editor, "wordLeft"),
  "ctrl+backspace": (editor) => remove(editor, "wordLeft"),
  "alt+d": (editor) => remove(editor, "wordRight"),
  "alt+delete": (editor) => remove(editor, "wordRight"),
  "ctrl+u": (editor) => remove(editor, "lineStart"),
  "ctrl+k": (editor) => remove(editor, "lineEnd"),
  "ctrl+y": yank,
  "ctrl+z": undo,
  "ctrl+_": undo,
  "alt+z": redo,
  "ctrl+shift+z": redo,
  "alt+enter": (editor) => insert(editor, "\n"),
  "shift+enter": (editor) => insert(editor, "\n"),
  "ctrl+j": (editor) => insert(editor, "\n"),
};

/** The editor after a key that edits; `undefined` for every other key. */
export function editKey(editor: Editor, { name, text }: Press): Editor | undefined {
  if (name === "text") return insert(editor, text);
  return EDITS[name]?.(editor);
}
