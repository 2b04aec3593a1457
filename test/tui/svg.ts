import type { IBufferCell, Terminal } from "@xterm/headless";

const CELL = { width: 8.4, height: 18 };
const PADDING = 12;
const PAPER = "#1b1e24";
const INK = "#d5d9e0";
/** The sixteen colours that a terminal has of its own. */
const PALETTE = [
  "#2b303b",
  "#f07167",
  "#7ec878",
  "#e2b85c",
  "#82aaff",
  "#c792ea",
  "#5ec4d6",
  "#d5d9e0",
  "#6b7480",
  "#f07167",
  "#7ec878",
  "#e2b85c",
  "#82aaff",
  "#c792ea",
  "#5ec4d6",
  "#ffffff",
];

/** What a terminal shows, as a picture. */
export function svgOf(terminal: Terminal): string {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: terminal.rows }, (_, row) => rowOf(terminal, active.baseY + row));
  const last = rows.findLastIndex((runs) => runs.length > 0);
  const width = terminal.cols * CELL.width + 2 * PADDING;
  const height = (last + 1) * CELL.height + 2 * PADDING;
  const lines = rows.slice(0, last + 1).map((runs, row) => lineOf(runs, row));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<rect width="100%" height="100%" rx="8" fill="${PAPER}"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14" fill="${INK}" xml:space="preserve">
${lines.filter((line) => line !== "").join("\n")}
</g>
</svg>
`;
}

interface Run {
  readonly column: number;
  text: string;
  readonly look: string;
}

/** The texts of a row, each in one look. */
function rowOf(terminal: Terminal, row: number): readonly Run[] {
  const line = terminal.buffer.active.getLine(row);
  const runs: Run[] = [];
  for (let column = 0; column < terminal.cols; column += 1) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars() === "" ? " " : cell.getChars();
    const look = lookOf(cell);
    const before = runs.at(-1);
    if (before?.look === look) before.text += text;
    else runs.push({ column, text, look });
  }
  return runs.filter(({ text }) => text.trim() !== "");
}

function lineOf(runs: readonly Run[], row: number): string {
  const y = PADDING + row * CELL.height + 13;
  return runs
    .map(({ column, text, look }) => {
      const shown = text.trimEnd();
      const x = PADDING + column * CELL.width;
      const length = (shown.length * CELL.width).toFixed(1);
      return `<text x="${x.toFixed(1)}" y="${y}" textLength="${length}"${look}>${escaped(shown)}</text>`;
    })
    .join("");
}

function lookOf(cell: IBufferCell): string {
  const colour = colourOf(cell);
  return [
    colour === undefined ? "" : ` fill="${colour}"`,
    cell.isBold() === 0 ? "" : ' font-weight="bold"',
    cell.isItalic() === 0 ? "" : ' font-style="italic"',
    cell.isUnderline() === 0 ? "" : ' text-decoration="underline"',
    cell.isDim() === 0 ? "" : ' opacity="0.6"',
  ].join("");
}

function colourOf(cell: IBufferCell): string | undefined {
  if (cell.isFgDefault()) return undefined;
  const colour = cell.getFgColor();
  if (cell.isFgRGB()) return `#${colour.toString(16).padStart(6, "0")}`;
  return PALETTE[colour];
}

/** Spaces as those that no program that draws the picture takes away. */
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll(" ", "\u00a0");
