import { type TextEditor, insert, move, redo, removeText, undo, yank } from "./text-editor.ts";
import type { Press } from "./press.ts";

const EDITS: Readonly<Record<string, (editor: TextEditor) => TextEditor>> = {
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
  backspace: (editor) => removeText(editor, "left"),
  "ctrl+h": (editor) => removeText(editor, "left"),
  delete: (editor) => removeText(editor, "right"),
  "ctrl+d": (editor) => removeText(editor, "right"),
  "ctrl+w": (editor) => removeText(editor, "wordLeft"),
  "alt+backspace": (editor) => removeText(editor, "wordLeft"),
  "ctrl+backspace": (editor) => removeText(editor, "wordLeft"),
  "alt+d": (editor) => removeText(editor, "wordRight"),
  "alt+delete": (editor) => removeText(editor, "wordRight"),
  "ctrl+u": (editor) => removeText(editor, "lineStart"),
  "ctrl+k": (editor) => removeText(editor, "lineEnd"),
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
export function editKey(editor: TextEditor, { name, text }: Press): TextEditor | undefined {
  if (name === "text") return insert(editor, text);
  return EDITS[name]?.(editor);
}
