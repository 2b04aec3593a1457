import { layoutRows } from "../input/composer-rows.ts";
import type { CompletionList, Composer } from "../state/app-state.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { type Line, line, span } from "../text/line.ts";
import { PROMPT_SIGN } from "../text/theme.ts";
import { fitFacts } from "../text/facts.ts";
import { fit, width } from "../text/width.ts";
import { GUTTER } from "./entry-lines.ts";

/** Lines, and where the caret stands in them. */
export interface WithCaret {
  readonly lines: readonly Line[];
  readonly caret: { readonly x: number; readonly y: number } | undefined;
}

const MOST_COMPLETIONS = 8;

interface ComposerOptions {
  readonly columns: number;
  /** Lines that there is room for. */
  readonly rows: number;
  readonly placeholder: string;
}

/** What is being written, with its caret; of a text that is too long, the part around the caret. */
export function composerLines(composer: Composer, options: ComposerOptions): WithCaret {
  const { editor, completion, search, recall } = composer;
  if (search !== undefined) return searchLines(search.words, recall.entries[search.at]?.text ?? "", options);
  const below = completion === undefined ? [] : completionLines(completion, options);
  const { lines, caret } = textRows(editor, { ...options, rows: Math.max(1, options.rows - below.length) });
  return { lines: [...lines, ...below], caret };
}

const PROMPT = span(`${PROMPT_SIGN} `, "prompt");

/** A text with its caret in as many rows as there is room for. */
export function textRows(
  { text, caret }: { readonly text: string; readonly caret: number },
  { columns, rows, placeholder }: ComposerOptions,
): WithCaret {
  if (text === "")
    return { lines: [[PROMPT, span(fitFacts(placeholder, columns - 3), "dim")]], caret: { x: 2, y: 0 } };
  const layout = layoutRows(text, caret, Math.max(1, columns - GUTTER.length - 1));
  const top = Math.min(Math.max(0, layout.caret.row - rows + 1), Math.max(0, layout.rows.length - rows));
  const shown = layout.rows.slice(top, top + rows);
  return {
    lines: shown.map((row, index) => [top + index === 0 ? PROMPT : span(GUTTER), span(row.text)]),
    caret: { x: GUTTER.length + layout.caret.column, y: layout.caret.row - top },
  };
}

const SEARCH_KEYS = "  Ctrl+R older · Enter takes it · Esc closes";

function searchLines(words: string, found: string, { columns }: ComposerOptions): WithCaret {
  const prompt = "search: ";
  const typed = fit(words, columns - prompt.length - 1);
  const entry =
    found === ""
      ? line(`${GUTTER}${words === "" ? "nothing was sent yet" : "nothing found"}`, "dim")
      : line(GUTTER + fit(forTerminalLine(found), columns - 2));
  return {
    lines: [[span(prompt, "accent"), span(typed)], entry, line(fitFacts(SEARCH_KEYS, columns), "dim")],
    caret: { x: prompt.length + width(typed), y: 0 },
  };
}

/** The possibilities around the chosen one, in two columns. */
function completionLines(
  { items, chosen }: CompletionList,
  { columns, rows }: ComposerOptions,
): readonly Line[] {
  const most = Math.max(1, Math.min(MOST_COMPLETIONS, rows - 1));
  const top = Math.min(Math.max(0, chosen - most + 1), Math.max(0, items.length - most));
  const shown = items.slice(top, top + most);
  const widest = Math.min(32, Math.max(...shown.map(({ display }) => width(display))));
  return shown.map(({ display, meta }, index): Line => {
    const active = top + index === chosen;
    const name = fit(forTerminalLine(display), Math.min(widest, columns - 2));
    const gap = " ".repeat(Math.max(0, widest - width(name)) + 2);
    const room = columns - GUTTER.length - widest - 2;
    const about = room < 8 ? "" : fit(forTerminalLine(meta), room);
    return [
      span(active ? "❯ " : GUTTER, "accent"),
      active ? span(name, "chosen") : span(name),
      ...(about === "" ? [] : [span(gap), span(about, "dim")]),
    ];
  });
}
