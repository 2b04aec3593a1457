import type { Skin } from "./gateway.ts";
import { chosenItem } from "./overlays/list.ts";
import type { AppState } from "./state/app-state.ts";
import type { ViewStore } from "./view-store.ts";
import { backgroundOf, colourDepth, type TerminalEnvironment, isAscii } from "./text/environment.ts";
import { makeTheme, type Theme, type ThemeOptions } from "./text/theme.ts";
import { width } from "./text/width.ts";

/** The look that follows from the environment, from what the terminal says, and from the skin that was chosen. */
export function lookOf(store: ViewStore, env: TerminalEnvironment): () => Theme {
  const base = { depth: colourDepth(env), background: backgroundOf(env), ascii: isAscii(env) };
  const made = (): readonly unknown[] => [skinShown(store.state), store.state.background];
  let of = made();
  let theme = makeTheme(base);
  return () => {
    const now = made();
    if (now.some((each, index) => each !== of[index])) {
      const { background } = store.state;
      // What a person says of the terminal counts more than what it says itself.
      const known = env["AGENT_TUI_THEME"] === undefined ? (background ?? base.background) : base.background;
      theme = makeTheme({ ...base, background: known, ...skinned(skinShown(store.state)) });
    }
    of = now;
    return theme;
  };
}

/** The skin that is chosen, or is marked in the list of them. */
function skinShown({ overlay, view }: AppState): Skin | undefined {
  const marked = overlay?.kind === "list" ? chosenItem(overlay)?.skin : undefined;
  return marked ?? view.skin;
}

/** The usual skin, which nobody chose: its colours know nothing of this terminal's background. */
const USUAL = "agent";

/** What a skin that was chosen says at the end. */
export const goodbyeOf = (skin: Skin | undefined): string =>
  skin === undefined || skin.name === USUAL ? "" : (skin.branding["goodbye"] ?? "");

/** What a skin changes. One without any colour wants none. */
function skinned(skin: Skin | undefined): Partial<ThemeOptions> {
  if (skin === undefined || skin.name === USUAL) return {};
  const sign = skin.branding["prompt_symbol"];
  return {
    chosen: skin.colors,
    promptSign: sign !== undefined && width(sign) === 1 ? sign : undefined,
    ...(Object.keys(skin.colors).length === 0 ? { depth: "none" as const } : {}),
  };
}
