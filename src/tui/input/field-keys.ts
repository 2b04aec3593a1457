import type { Client } from "../client.ts";
import type { FieldOverlay } from "../overlays/overlay.ts";
import { paste } from "./text-editor.ts";
import { expanded } from "./written.ts";
import { editKey } from "./edit-keys.ts";
import type { Press } from "./press.ts";

/** A key while a line is written that was asked for. */
export function fieldKey({ store, dialogs }: Client, overlay: FieldOverlay, press: Press): void {
  switch (press.name) {
    case "escape":
    case "ctrl+c":
      return dialogs.answer(undefined);
    case "enter":
      return dialogs.answer(expanded(overlay.typed).trim());
    default: {
      const typed = editKey(overlay.typed, press);
      if (typed !== undefined) store.update({ overlay: { ...overlay, typed } });
    }
  }
}

/** A paste goes into the line; it never answers. */
export function fieldPaste({ store }: Client, overlay: FieldOverlay, text: string): void {
  const typed = paste(overlay.typed, text.replaceAll(/[\r\n]+/g, " ").trim());
  store.update({ overlay: { ...overlay, typed } });
}
