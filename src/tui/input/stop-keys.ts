import type { Client } from "../client.ts";
import { openRewind } from "../overlays/rewind.ts";
import { change } from "./change.ts";
import { insert, move, setText } from "./text-editor.ts";

/** The same key twice within this means more than once, in milliseconds. */
const DOUBLE_MS = 1000;

/** Whatever else is pressed or pasted between two presses of Esc or Ctrl+C: they are not one after the other. */
export function forgetOtherStops({ store }: Client, pressed?: string): void {
  const { interruptAt, escapeAt } = store.state;
  if (pressed !== "ctrl+c" && interruptAt !== 0) store.update({ interruptAt: 0 });
  if (pressed !== "escape" && escapeAt !== 0) store.update({ escapeAt: 0 });
}

/** Esc: stops the turn, or the person's own command; takes held prompts back; twice, clears what is written, or on an empty line goes back to an earlier prompt. */
export function escapeKey(client: Client): void {
  const { view, composer, escapeAt } = client.store.state;
  const isEmpty = composer.editor.text === "";
  if (view.turn === undefined && client.controller.stopCommand()) return;
  if (view.turn !== undefined) return client.controller.run(stopTurn(client));
  if (isEmpty && view.queue.some(({ held }) => held)) return client.controller.run(takeHeldBack(client));
  const now = client.now();
  if (now - escapeAt >= DOUBLE_MS) {
    const hint = isEmpty
      ? "Esc once more goes back to an earlier prompt"
      : "Esc once more clears what is written";
    return client.store.update({ escapeAt: now, hint });
  }
  client.store.update({ escapeAt: 0 });
  if (isEmpty) client.controller.run(openRewind(client));
  else change(client, setText(composer.editor, ""));
}

/**
 * Ctrl+C: stops the person's own command, clears what is written, or stops the turn; twice within a second, one after the other, it leaves. Stopping a turn is not the first of
 * the two: somebody who presses it twice to be sure stays.
 */
export async function interruptKey(client: Client): Promise<void> {
  const { interruptAt, composer, view, answering } = client.store.state;
  if (client.controller.stopCommand()) return;
  const now = client.now();
  const runs = view.turn !== undefined && !view.turn.interrupting;
  if (!runs && now - interruptAt < DOUBLE_MS) return client.leave();
  if (!runs) client.store.update({ interruptAt: now, hint: "Ctrl+C once more leaves" });
  if (composer.editor.text !== "" && answering?.entered !== true)
    return change(client, setText(composer.editor, ""));
  if (runs) await stopTurn(client);
}

/** What waits for a word of the person comes back into the composer, to be sent, changed or thrown away. */
async function takeHeldBack(client: Client): Promise<void> {
  const held = client.store.state.view.queue.filter((each) => each.held).map(({ id }) => id);
  const texts = await client.controller.takeBack(held);
  if (texts.length > 0) client.prefill(texts.join("\n\n"));
}

/** Stops the turn. What it did not read yet, and what was queued behind it, comes back into the composer, before what is being written. */
async function stopTurn(client: Client): Promise<void> {
  const steers = client.store.state.view.steers.map((steer) => steer.text);
  const unread = [...steers, ...(await client.controller.interrupt({ keepQueue: false }))];
  if (unread.length === 0) return;
  const { editor } = client.store.state.composer;
  if (editor.text === "") return client.prefill(unread.join("\n\n"));
  // Before the draft, whose chips stay chips.
  const both = insert(move(editor, "textStart"), `${unread.join("\n\n")}\n\n`);
  change(client, move(both, "textEnd"));
}
