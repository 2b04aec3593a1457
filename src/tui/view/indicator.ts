import type { ScreenSettings } from "../state/display-settings.ts";

/** Milliseconds that a picture of the indicator stays. */
export const INDICATOR_MS = 120;

/** The pictures of each indicator, all of one width. */
const PICTURES: Readonly<Record<ScreenSettings["indicator"], readonly string[]>> = {
  unicode: ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"],
  ascii: ["|", "/", "-", "\\"],
  emoji: ["🌑", "🌒", "🌓", "🌔", "🌕", "🌖", "🌗", "🌘"],
  kaomoji: ["(o_o)", "(o_O)", "(O_O)", "(O_o)"],
};

/** The picture that shows at a moment that something runs. */
export function indicator(now: number, kind: ScreenSettings["indicator"]): string {
  const pictures = PICTURES[kind];
  return pictures[Math.floor(now / INDICATOR_MS) % pictures.length] ?? "·";
}
