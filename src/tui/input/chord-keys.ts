import type { Client } from "../client.ts";
import { runClientCommand } from "../commands.ts";
import { CHORDS } from "../overlays/chords.ts";
import { change } from "./change.ts";
import type { Press } from "./press.ts";
import { insert } from "./text-editor.ts";

/** Ctrl+X: what may follow is shown until it does. */
export const openChords = ({ store }: Client): void => store.update({ overlay: { kind: "chords" } });

/** The key after Ctrl+X. One that stands for nothing only closes. */
export function chordKey(client: Client, { name, text }: Press): void {
  client.dialogs.answer(undefined);
  // Ctrl+X Ctrl+E is how shells open an editor; the letter may be pressed while Ctrl is still down.
  const letter = name === "text" ? text.slice(0, 1) : name === "enter" ? "l" : name.replace(/^ctrl\+/, "");
  const chord = Object.hasOwn(CHORDS, letter) ? CHORDS[letter] : undefined;
  // Ctrl+C closes, and Ctrl+X twice is the list that one looks for most.
  if (name === "ctrl+x") client.controller.run(runClientCommand(client, "/sessions"));
  else if (chord !== undefined && name !== "ctrl+c")
    client.controller.run(runClientCommand(client, chord.command));
  // What was typed fast comes with the letter.
  if (text.length > 1) change(client, insert(client.store.state.composer.editor, text.slice(1)));
}
