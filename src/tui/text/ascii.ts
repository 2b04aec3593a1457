import { characters, width } from "./width.ts";

/** Our own signs in the letters that every terminal has, each as wide as it is. */
const SIGNS: Readonly<Record<string, string>> = {
  "·": "-",
  "…": "~",
  "─": "-",
  "│": "|",
  "▎": "|",
  "▏": "|",
  "┼": "+",
  "❯": ">",
  "›": ">",
  "»": ">",
  "▸": ">",
  "→": ">",
  "↑": "^",
  "↓": "v",
  "✓": "+",
  "☑": "x",
  "☒": "-",
  "☐": "o",
  "✗": "x",
  "⊘": "!",
  "◆": "?",
  "●": "*",
  "█": "#",
  "░": ".",
  "•": "*",
  "◦": "o",
  "∴": "*",
  "–": "-",
  "—": "-",
  "−": "-",
  "‘": "'",
  "’": "'",
  "“": '"',
  "”": '"',
};

/** The spinner in letters. */
const SPINNER: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏", (picture, index) => [picture, "|/-\\".charAt(index % 4)]),
);

/** A line for a terminal that does not read UTF-8: what it cannot show is a question mark, as wide as it would be. */
export function asAscii(text: string): string {
  // Printable ASCII is what is left alone.
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return characters(text)
    .map((each) => {
      if (/^[\x20-\x7e]$/.test(each)) return each;
      return SIGNS[each] ?? SPINNER[each] ?? "?".repeat(width(each));
    })
    .join("");
}
