import type { Client } from "../client.ts";
import { loadEarlier } from "../overlays/history.ts";
import type { PagerOverlay } from "../overlays/overlay.ts";
import { OVERLAY_FRAME, pagerContent } from "../overlays/overlay-lines.ts";
import type { Press } from "./press.ts";

/** A key while a text is read. */
export function pagerKey(client: Client, overlay: PagerOverlay, { name, text }: Press): void {
  const { size } = client.store.state;
  const page = Math.max(1, size.rows - 4 - OVERLAY_FRAME);
  const last = Math.max(0, pagerContent(overlay, size.columns).length - page);
  const at = Math.min(last, overlay.top);
  const scroll = (top: number): void => {
    client.store.update({ overlay: { ...overlay, top: Math.min(last, Math.max(0, top)) } });
    if (top <= 0 && top < at && overlay.earlier !== undefined) client.controller.run(loadEarlier(client));
  };
  switch (name === "text" ? text : name) {
    case "escape":
    case "q":
    case "ctrl+c":
    case "enter":
      return client.dialogs.answer(undefined);
    case "up":
    case "k":
      return scroll(at - 1);
    case "down":
    case "j":
      return scroll(at + 1);
    case "pageup":
    case "b":
      return scroll(at - page);
    case "pagedown":
    case " ":
      return scroll(at + page);
    case "g":
    case "home":
      return scroll(Math.min(0, at - 1));
    case "G":
    case "end":
      return scroll(last);
    default:
  }
}
