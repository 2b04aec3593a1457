import type { ColourDepth, ThemeOptions } from "./theme.ts";

/** The environment variables that describe a terminal. */
export type TerminalEnvironment = Readonly<Record<string, string | undefined>>;

/** What the environment says about colours. https://no-color.org */
export function colourDepth(env: TerminalEnvironment): ColourDepth {
  if ((env["NO_COLOR"] ?? "") !== "") return "none";
  if (/truecolor|24bit/i.test(env["COLORTERM"] ?? "")) return "true";
  if (/256|direct/.test(env["TERM"] ?? "")) return "256";
  return "basic";
}

/** Whether the environment says that the terminal does not read UTF-8. One that says nothing mostly does. */
export function isAscii(env: TerminalEnvironment): boolean {
  const locale = [env["LC_ALL"], env["LC_CTYPE"], env["LANG"]].find((each) => (each ?? "") !== "");
  return locale !== undefined && !/utf-?8/i.test(locale);
}

/** What the environment says about the background. */
export function backgroundOf(env: TerminalEnvironment): ThemeOptions["background"] {
  const asked = env["AGENT_TUI_THEME"];
  if (asked === "dark" || asked === "light") return asked;
  const last = (env["COLORFGBG"] ?? "").split(";").at(-1) ?? "";
  if (last === "7" || last === "15") return "light";
  return /^\d+$/.test(last) ? "dark" : undefined;
}
