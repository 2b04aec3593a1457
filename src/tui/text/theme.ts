import { forTerminalLine } from "../terminal/terminal-text.ts";
import { asAscii } from "./ascii.ts";
import type { Line, Style } from "./line.ts";

/** The number of colours that the terminal shows. */
export type ColourDepth = "none" | "basic" | "256" | "true";

/** The look of each kind of text. */
export interface Theme {
  /** The line as the terminal takes it. Every text that is shown goes through here, whoever wrote it. */
  readonly ansi: (line: Line) => string;
}

/** Options of a theme. */
export interface ThemeOptions {
  readonly depth: ColourDepth;
  /** Colours of our own need to know what they stand on; without, the terminal's own are used. */
  readonly background: "dark" | "light" | undefined;
  /** The colours that somebody chose, `#rrggbb` by the names that skins have for them. */
  readonly chosen?: Readonly<Record<string, string>>;
  /** The sign before what a person writes, one column wide; our own when it is left out. */
  readonly promptSign?: string | undefined;
  /** The terminal does not read UTF-8. */
  readonly ascii?: boolean;
}

export function makeTheme(options: ThemeOptions): Theme {
  const codes = new Map<Style, string>();
  for (const style of STYLES) codes.set(style, sgr(style, options));
  const text = chosenCode("ui_text", options) ?? "";
  const { promptSign, ascii = false } = options;
  const safe = (each: string): string => (ascii ? asAscii(forTerminalLine(each)) : forTerminalLine(each));
  const ansi = (line: Line): string =>
    line
      .map((span) => {
        const isPrompt = promptSign !== undefined && span.styles.includes("prompt");
        const shown = safe(isPrompt ? span.text.replace(PROMPT_SIGN, () => promptSign) : span.text);
        const set = span.styles.map((style) => codes.get(style) ?? "").filter((code) => code !== "");
        return dressed(shown, set.length === 0 ? text : set.join(";"));
      })
      .join("");
  return { ansi };
}

/** What stands before everything that a person writes. */
export const PROMPT_SIGN = "›";

const dressed = (text: string, code: string): string =>
  code === "" || text === "" ? text : `\u001b[${code}m${text}\u001b[0m`;

/** What says something without any colour. */
const PLAIN: Readonly<Partial<Record<Style, string>>> = {
  dim: "2",
  border: "2",
  bold: "1",
  italic: "3",
  strike: "9",
  underline: "4",
  heading: "1",
  link: "4",
  chosen: "1",
  prompt: "1",
};

/** Which colour of a skin a style takes. */
const NAMES: Readonly<Partial<Record<Style, string>>> = {
  accent: "ui_accent",
  chosen: "ui_accent",
  heading: "ui_primary",
  dim: "ui_label",
  border: "ui_border",
  ok: "ui_ok",
  warn: "ui_warn",
  error: "ui_error",
  prompt: "prompt",
  shell: "shell_dollar",
};

interface Colour {
  readonly basic: string;
  readonly dark: readonly [number, number, number];
  readonly light: readonly [number, number, number];
}

/** Each colour for terminals of sixteen, and for dark and light backgrounds with at least 4.5:1 of contrast. */
const COLOURS: Readonly<Partial<Record<Style, Colour>>> = {
  prompt: { basic: "36", dark: [94, 196, 214], light: [0, 106, 130] },
  shell: { basic: "33", dark: [226, 184, 92], light: [138, 90, 0] },
  accent: { basic: "36", dark: [94, 196, 214], light: [0, 106, 130] },
  chosen: { basic: "36", dark: [94, 196, 214], light: [0, 106, 130] },
  ok: { basic: "32", dark: [126, 200, 120], light: [30, 115, 40] },
  warn: { basic: "33", dark: [226, 184, 92], light: [138, 90, 0] },
  error: { basic: "31", dark: [240, 113, 103], light: [178, 32, 32] },
  code: { basic: "36", dark: [222, 184, 150], light: [128, 66, 20] },
  link: { basic: "34", dark: [130, 170, 255], light: [20, 80, 180] },
  added: { basic: "32", dark: [126, 200, 120], light: [30, 115, 40] },
  removed: { basic: "31", dark: [240, 113, 103], light: [178, 32, 32] },
  keyword: { basic: "35", dark: [199, 146, 234], light: [120, 50, 160] },
  string: { basic: "32", dark: [170, 205, 130], light: [50, 110, 30] },
  number: { basic: "33", dark: [240, 168, 112], light: [150, 80, 10] },
  comment: { basic: "90", dark: [128, 138, 150], light: [105, 112, 120] },
  name: { basic: "34", dark: [130, 170, 255], light: [20, 80, 180] },
};

const STYLES = [...new Set([...Object.keys(PLAIN), ...Object.keys(COLOURS)])] as readonly Style[];

function sgr(style: Style, options: ThemeOptions): string {
  const plain = PLAIN[style] ?? "";
  const name = NAMES[style];
  const chosen = name === undefined ? undefined : chosenCode(name, options);
  // A colour that was chosen for what is in the background is as faint as it should be.
  if (chosen !== undefined)
    return [plain === "2" ? "" : plain, chosen].filter((each) => each !== "").join(";");
  const colour = COLOURS[style];
  const { depth, background } = options;
  if (depth === "none" || colour === undefined) return plain;
  const code = background === undefined ? colour.basic : colourCode(colour[background], colour.basic, depth);
  return [plain, code].filter((each) => each !== "").join(";");
}

/** The code of a colour of the skin; terminals of sixteen colours have none that come near. */
function chosenCode(name: string, { chosen = {}, depth }: ThemeOptions): string | undefined {
  const rgb = rgbOf(chosen[name]);
  return rgb === undefined || depth === "none" || depth === "basic" ? undefined : colourCode(rgb, "", depth);
}

function colourCode(
  [red, green, blue]: readonly [number, number, number],
  basic: string,
  depth: Exclude<ColourDepth, "none">,
): string {
  switch (depth) {
    case "basic":
      return basic;
    case "256":
      return `38;5;${16 + 36 * step(red) + 6 * step(green) + step(blue)}`;
    case "true":
      return `38;2;${red};${green};${blue}`;
  }
}

/** One of the six levels that the 256 colours have of each. */
const step = (value: number): number => Math.min(5, Math.max(0, Math.round((value - 35) / 40)));

function rgbOf(hex: string | undefined): readonly [number, number, number] | undefined {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(hex ?? "");
  if (match === null) return undefined;
  const [, red = "0", green = "0", blue = "0"] = match;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}
