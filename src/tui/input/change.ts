import type { Client } from "../client.ts";
import { recallOf } from "./prompt-recall.ts";
import type { TextEditor } from "./text-editor.ts";

/** Puts another text into the composer; whatever completed the old one goes. */
export function change({ store }: Client, editor: TextEditor): void {
  const { composer } = store.state;
  const recall = editor.text === composer.editor.text ? composer.recall : recallOf(composer.recall.entries);
  store.update({ composer: { ...composer, editor, recall, completion: undefined } });
}
