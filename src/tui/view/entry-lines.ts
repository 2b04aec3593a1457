import { counted } from "../../shared/text/counted.ts";
import { callTitle } from "../state/tools.ts";
import { groupDigits } from "../../shared/text/format.ts";
import type { Before, Entry, Tone, ToolCard } from "../state/entry.ts";
import type { ScreenSettings } from "../state/display-settings.ts";
import { diffLines, diffSize } from "../text/diff.ts";
import { duration } from "../text/figures.ts";
import { hanging, indented, type Line, line, type Span, span, type Style } from "../text/line.ts";
import { fenceLines, markdownLines } from "../text/markdown.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { PROMPT_SIGN } from "../text/theme.ts";
import { fit, width } from "../text/width.ts";
import { withoutSkills } from "../text/skill-words.ts";
import { wrap, wrapColumns, wrapExact } from "../text/wrap.ts";

/** The columns before everything: signs stand in them. */
export const GUTTER = "  ";
/** Lines of a result and of a diff that are printed; a transcript is for reading, files are for looking things up. */
const MOST_OUTPUT = 5;
const MOST_DIFF = 40;
const MOST_USER = 40;
const MOST_SHELL = 300;

interface EntryOptions {
  readonly columns: number;
  readonly display: ScreenSettings;
}

/** A finished entry as lines of at most so many columns; none when it is not wanted. */
export function entryLines(entry: Entry, options: EntryOptions): readonly Line[] {
  const { columns, display } = options;
  const inner = Math.max(8, columns - GUTTER.length);
  switch (entry.kind) {
    case "greeting":
      return [
        line(fit(entry.title, columns), "bold", "accent"),
        // A picture of letters is broken where its lines end, words between words.
        ...entry.lines.flatMap((each) =>
          each.includes("\n") ? wrapExact([span(each, "dim")], columns) : wrap(each, columns, "dim"),
        ),
      ];
    case "user":
      return userLines(entry, inner);
    case "steer":
      return hanging(wrap(entry.text, inner), span("» ", "accent"), GUTTER);
    case "answer":
      return indented(markdownLines(entry.text, inner), GUTTER);
    case "code":
      return indented(fenceLines(entry.text, entry.language, inner), GUTTER);
    case "thinking":
      return thinkingLines(entry, { inner, display });
    case "tool":
      return toolLines(entry.card, options);
    case "shell":
      return shellLines(entry, inner);
    case "answered":
      return answeredLines(entry, inner);
    case "note":
      return noteLines(entry.text, entry.tone, inner);
    case "turn":
      return turnLines(entry, inner);
    case "takenBack":
      return [];
  }
}

const TONES: Readonly<Record<Tone, { readonly mark: string; readonly styles: readonly Style[] }>> = {
  info: { mark: "· ", styles: ["dim"] },
  ok: { mark: "✓ ", styles: ["ok"] },
  warn: { mark: "! ", styles: ["warn"] },
  error: { mark: "✗ ", styles: ["error"] },
};

function noteLines(text: string, tone: Tone, inner: number): readonly Line[] {
  const { mark, styles } = TONES[tone];
  // What goes over several lines was asked for, and is to be read.
  const body = tone === "info" && text.trim().includes("\n") ? [] : styles;
  const lines = body === styles ? wrap(text.trim(), inner, ...body) : wrapColumns(text.trim(), inner);
  return hanging(lines, span(mark, ...styles), GUTTER);
}

function turnLines({ outcome, text }: Extract<Entry, { kind: "turn" }>, inner: number): readonly Line[] {
  const words = outcome === "interrupted" ? `interrupted · ${text}` : text;
  return indented(wrap(words, inner, outcome === "complete" ? "dim" : "warn"), GUTTER);
}

function userLines(
  { text, images, from, attached = [] }: Extract<Entry, { kind: "user" }>,
  inner: number,
): readonly Line[] {
  const beside = [
    ...(images === 0 ? [] : [counted(images, "image")]),
    ...(attached.length === 0 ? [] : [`with ${attached.map(forTerminalLine).join(", ")}`]),
    ...(from === "" ? [] : [`from ${from}`]),
  ];
  const words = withoutSkills(text).trim();
  const said = limited(wrap(words === "" ? "(no text)" : words, inner, "bold"), MOST_USER);
  const extra = beside.length === 0 ? [] : wrap(`(${beside.join(", ")})`, inner, "dim");
  return hanging([...said, ...extra], span(`${PROMPT_SIGN} `, "prompt"), GUTTER);
}

function thinkingLines(
  { text, seconds }: Extract<Entry, { kind: "thinking" }>,
  { inner, display }: { readonly inner: number; readonly display: ScreenSettings },
): readonly Line[] {
  if (display.thinking === "hidden") return [];
  const title = seconds < 1 ? "Thought" : `Thought for ${duration(seconds)}`;
  const words = text.trim();
  if (display.thinking === "expanded" && words !== "") {
    const lines = limited(wrap(words, inner, "dim", "italic"), display.mostThinking);
    return hanging([line(title, "dim"), ...lines], span("∴ ", "dim"), GUTTER);
  }
  const all = words === "" ? title : `${title}: ${forTerminalLine(words)}`;
  return [[span("∴ ", "dim"), span(fit(all, inner), "dim", "italic")]];
}

const OUTCOMES: Readonly<Record<NonNullable<ToolCard["end"]>["outcome"], { mark: string; style: Style }>> = {
  ok: { mark: "✓ ", style: "ok" },
  error: { mark: "✗ ", style: "error" },
  denied: { mark: "⊘ ", style: "warn" },
  cancelled: { mark: "⊘ ", style: "warn" },
  unknown: { mark: "? ", style: "warn" },
};

/** A call that is over: what it was, how long it took, and the little of its result that is worth a look. */
function toolLines(card: ToolCard, { columns, display }: EntryOptions): readonly Line[] {
  const { looksUp = false, diff, end } = card;
  // What went wrong is seen whatever is hidden.
  if (end === undefined || (display.tools === "hidden" && end.outcome === "ok")) return [];
  const { mark, style } = OUTCOMES[end.outcome];
  const size = diff === "" ? undefined : diffSize(diff);
  // What the model looked up is only counted: its last lines tell people nothing, and Ctrl+O shows it whole.
  const isCounted = looksUp && end.outcome === "ok";
  const found = isCounted && end.summary !== "" ? ` ${forTerminalLine(end.summary)}` : "";
  const figures = size === undefined ? found : ` +${size.added} −${size.removed}`;
  const time = end.seconds >= 0.1 ? ` ${duration(end.seconds)}` : "";
  const title = titleLine(
    { mark: span(mark, style), words: callTitle(card), after: figures + time },
    columns,
  );
  const inner = columns - GUTTER.length - BAR.text.length;
  const isShort = display.tools === "collapsed" && end.outcome === "ok";
  const body = isCounted || isShort ? [] : toolBody(diff, end, inner);
  return [title, ...indented(indented(body, BAR), GUTTER)];
}

const BAR = span("│ ", "border");

function toolBody(diff: string, end: NonNullable<ToolCard["end"]>, inner: number): readonly Line[] {
  // That it was denied, and by whom, stands above it.
  if (end.outcome === "denied") return [];
  if (end.outcome !== "ok") {
    const words = end.output.trim() === "" ? end.summary : end.output;
    if (words.trim() === "") return [];
    return tailOf(words.trim(), { inner, most: MOST_OUTPUT, style: "error" }, end.before);
  }
  if (diff !== "") return limited(diffLines(diff, inner), MOST_DIFF);
  if (end.output.trim() === "") return end.summary === "" ? [] : wrap(end.summary, inner, "dim");
  return tailOf(end.output.trim(), { inner, most: MOST_OUTPUT, style: "dim" }, end.before);
}

interface Title {
  readonly mark: Span;
  readonly words: string;
  readonly after: string;
}

/** One line: the sign, what the call is about, and figures; what is too long is cut in its middle part. */
export function titleLine({ mark, words, after }: Title, columns: number): Line {
  const room = columns - width(mark.text) - width(after);
  return [mark, span(fit(words, room), "bold"), span(after, "dim")];
}

function shellLines(
  { command, output, code, stopped, background, lines }: Extract<Entry, { kind: "shell" }>,
  inner: number,
): readonly Line[] {
  const head = hanging(wrap(command, inner, "bold"), span("! ", "shell"), GUTTER);
  const shown = output.replace(/\s+$/, "");
  const before = { lines: Math.max(0, (lines ?? 0) - output.split("\n").length + 1) };
  const all = tailOf(shown, { inner: inner - BAR.text.length, most: MOST_SHELL }, before);
  const body = output.trim() === "" ? [] : indented(indented(all, BAR), GUTTER);
  const end =
    background !== undefined
      ? [line(`${GUTTER}goes on in the background as ${background}`, "dim")]
      : stopped
        ? [line(`${GUTTER}stopped`, "warn")]
        : code === 0
          ? []
          : [line(`${GUTTER}exit code ${code}`, "error")];
  return [...head, ...body, ...end];
}

function answeredLines(
  { question, answer }: Extract<Entry, { kind: "answered" }>,
  inner: number,
): readonly Line[] {
  const asked = fit(forTerminalLine(question), inner);
  return [
    [span("? ", "accent"), span(asked, "dim")],
    ...hanging(wrap(answer, inner - 2), span(`${GUTTER}→ `, "dim"), `${GUTTER}  `),
  ];
}

function limited(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most + 1) return lines;
  return [...lines.slice(0, most), line(`… ${lines.length - most} more lines`, "dim")];
}

interface Tail {
  readonly inner: number;
  /** Rows. */
  readonly most: number;
  readonly style?: Style;
}

/**
 * The end of an output, which is where it says how it went, and how much of it is not shown: lines as they were printed,
 * or what the command counted when some was left out.
 *
 * @param before - what was printed before this and is not kept: it counts as what is not shown
 */
export function tailOf(
  text: string,
  { inner, most, style }: Tail,
  before: Before = NOTHING,
): readonly Line[] {
  const printed = text.split("\n");
  const rows: (readonly Line[])[] = [];
  let shown = 0;
  // One more row is no longer than the line that says that there is one.
  while (shown < most + 2 && rows.length < printed.length) {
    const lines = wrap(printed.at(-1 - rows.length) ?? "", inner, ...(style === undefined ? [] : [style]));
    rows.unshift(lines);
    shown += lines.length;
  }
  const isWhole = rows.length === printed.length && before.lines === 0 && before.made === undefined;
  if (isWhole && shown <= most + 1) return rows.flat();
  const kept = rows.flat().slice(-most);
  return [line(`… ${hiddenWords(rows, kept.length, { printed, before })} before`, "dim"), ...kept];
}

/** How much stands before the rows that are shown. A line of which a part is shown is. */
function hiddenWords(
  rows: readonly (readonly Line[])[],
  room: number,
  { printed, before }: { readonly printed: readonly string[]; readonly before: Before },
): string {
  let [left, count] = [room, 0];
  while (left > 0) {
    count += 1;
    left -= rows.at(-count)?.length ?? left;
  }
  const { made } = before;
  if (made !== undefined) {
    const seen = printed.slice(-count).join("\n");
    const size = made.unit === "bytes" ? new TextEncoder().encode(seen).length : seen.length;
    return `${groupDigits(made.size - size)} of ${groupDigits(made.size)} ${made.unit}`;
  }
  const lines = printed.length - count + before.lines;
  return lines === 0 ? "a part of this line" : `${groupDigits(lines)} ${lines === 1 ? "line" : "lines"}`;
}

const NOTHING: Before = { lines: 0 };
