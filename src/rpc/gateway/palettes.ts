/** The colours of a built-in skin, by the names that skins have for them. */
interface Palette {
  readonly primary: string;
  readonly accent: string;
  readonly border: string;
  readonly label: string;
  readonly ok: string;
  readonly error: string;
  readonly warn: string;
}

/** The palettes that people know from their editors. Text keeps the terminal's own colour. */
const PALETTES: Readonly<Record<string, Palette>> = {
  catppuccin: {
    primary: "#89b4fa",
    accent: "#cba6f7",
    border: "#585b70",
    label: "#a6adc8",
    ok: "#a6e3a1",
    error: "#f38ba8",
    warn: "#f9e2af",
  },
  dracula: {
    primary: "#bd93f9",
    accent: "#8be9fd",
    border: "#6272a4",
    label: "#a4b1d6",
    ok: "#50fa7b",
    error: "#ff6e6e",
    warn: "#f1fa8c",
  },
  everforest: {
    primary: "#a7c080",
    accent: "#83c092",
    border: "#56635f",
    label: "#9da9a0",
    ok: "#a7c080",
    error: "#e67e80",
    warn: "#dbbc7f",
  },
  github: {
    primary: "#0550ae",
    accent: "#8250df",
    border: "#8c959f",
    label: "#57606a",
    ok: "#116329",
    error: "#cf222e",
    warn: "#7d4e00",
  },
  gruvbox: {
    primary: "#83a598",
    accent: "#fe8019",
    border: "#665c54",
    label: "#a89984",
    ok: "#b8bb26",
    error: "#fb7266",
    warn: "#fabd2f",
  },
  nord: {
    primary: "#88c0d0",
    accent: "#8fbcbb",
    border: "#5b6982",
    label: "#a7b1c2",
    ok: "#a3be8c",
    error: "#e08a92",
    warn: "#ebcb8b",
  },
  solarized: {
    primary: "#4aa3df",
    accent: "#2fb5aa",
    border: "#586e75",
    label: "#93a1a1",
    ok: "#97ab00",
    error: "#f0625f",
    warn: "#c79a00",
  },
  tokyonight: {
    primary: "#7aa2f7",
    accent: "#bb9af7",
    border: "#565f89",
    label: "#a9b1d6",
    ok: "#9ece6a",
    error: "#f7768e",
    warn: "#e0af68",
  },
};

/** The names of the palettes, and their colours as skins have them. */
export const paletteColours = (): readonly (readonly [
  name: string,
  colours: Readonly<Record<string, string>>,
])[] =>
  Object.entries(PALETTES).map(([name, { primary, accent, border, label, ok, error, warn }]) => [
    name,
    {
      ui_primary: primary,
      ui_accent: accent,
      ui_border: border,
      ui_label: label,
      ui_ok: ok,
      ui_error: error,
      ui_warn: warn,
      prompt: primary,
      shell_dollar: warn,
    },
  ]);
