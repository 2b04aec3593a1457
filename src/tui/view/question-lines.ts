import type { OpenRequest } from "../gateway.ts";
import { type AnswerDraft, takesKeys } from "../state/app-state.ts";
import type { Question } from "../state/view-state.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { diffLines } from "../text/diff.ts";
import { countdown } from "../text/figures.ts";
import { BLANK, indented, type Line, line, lineWidth, span } from "../text/line.ts";
import { fitFacts } from "../text/facts.ts";
import { fit } from "../text/width.ts";
import { wrap, wrapExact } from "../text/wrap.ts";
import { counted } from "../../shared/text/counted.ts";
import { type Choice, choicesOf } from "../state/choices.ts";
import { type QuestionPart, questionParts } from "../state/question-parts.ts";
import { textRows, type WithCaret } from "./composer-lines.ts";
import { GUTTER } from "./entry-lines.ts";

/** Options of a question's lines. */
export interface QuestionOptions {
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
  /** Questions that are open, this one among them. */
  readonly open: number;
}

/** A question with its answers. The exact command is always whole when there is room; a diff is cut before the choices are. */
export function questionLines(
  question: Question,
  answering: AnswerDraft,
  options: QuestionOptions,
): WithCaret {
  const { request } = question;
  const { columns, rows } = options;
  const inner = Math.max(8, columns - GUTTER.length);
  const choices = answering.writing ? [] : choicesOf(request);
  const title = titleLine(question, options);
  const below = choiceLines(choices, answering, inner);
  const writing = answering.writing ? writingRows(request, answering, columns) : undefined;
  const taken = 2 + below.length + (writing?.lines.length ?? 0) + 1;
  const about = bodyLines(request, inner, Math.max(1, rows - taken));
  const above = [title, ...indented(about, GUTTER), BLANK];
  const hint = line(`${GUTTER}${fitFacts(hintOf(request, answering, options.now), inner)}`, "dim");
  const lines = [...above, ...below, ...(writing?.lines ?? []), hint];
  const caret = writing?.caret && { x: writing.caret.x, y: above.length + writing.caret.y };
  return { lines, caret };
}

function titleLine({ request, until, answering }: Question, { columns, now, open }: QuestionOptions): Line {
  const title: Line = [span("◆ ", "warn"), span(TITLES[request.method], "bold")];
  const { timeout_s } = request.params;
  // The clock of the screen may be a little behind.
  const seconds = until === undefined ? undefined : Math.ceil((until - now) / 1000);
  const left = seconds === undefined ? undefined : Math.min(timeout_s, Math.max(0, seconds));
  const facts = [
    ...(open > 1 ? [`1 of ${open}`] : []),
    ...(answering ? ["sending your answer"] : left === undefined ? [] : [`${countdown(left)} left`]),
  ];
  return [
    ...title,
    span(fit(facts.length === 0 ? "" : `  ${facts.join(" · ")}`, columns - lineWidth(title)), "dim"),
  ];
}

const TITLES = {
  approval: "Allow this?",
  clarify: "A question",
  sudo: "A command needs your password",
  secret: "A value is needed",
} as const;

/** All parts of a question. Each part that follows keeps some lines, if only to say what is missing. */
function bodyLines(request: OpenRequest, inner: number, rows: number): readonly Line[] {
  const parts = questionParts(request).map(({ kind, text }) => ({
    kind,
    lines: PART_LINES[kind](text, inner),
  }));
  let left = rows;
  return parts.flatMap(({ kind, lines }, index) => {
    const kept = parts.slice(index + 1).map((each) => Math.min(each.lines.length, LEAST[each.kind]));
    const after = kept.reduce((sum, each) => sum + each, 0);
    const shown = cut(lines, Math.max(1, left - after));
    left -= shown.length;
    return kind === "words" ? shown : indented(shown, BAR);
  });
}

/** Lines that a part keeps when the parts before it are long. */
const LEAST = { exact: 3, words: 4, diff: 1 } as const;

const PART_LINES: Readonly<Record<QuestionPart["kind"], (text: string, inner: number) => readonly Line[]>> = {
  exact: (text, inner) => wrapExact([span(text, "code")], inner - 2),
  words: (text, inner) => wrap(text, inner),
  diff: (text, inner) => diffLines(text, inner - 2),
};

const BAR = span("│ ", "border");

function cut(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  const shown = lines.slice(0, Math.max(0, most - 1));
  const missing = lines.slice(shown.length).flat();
  const characters = missing.reduce((sum, { text }) => sum + text.length, 0);
  return [...shown, line(`… ${counted(characters, "more character")} · Ctrl+O shows all`, "warn")];
}

function choiceLines(choices: readonly Choice[], { chosen }: AnswerDraft, inner: number): readonly Line[] {
  return choices.flatMap(({ label }, index) => {
    const active = index === chosen;
    const mark = span(active ? "❯ " : GUTTER, "accent");
    const number = span(`${index + 1} `, active ? "chosen" : "dim");
    const words = span(fit(forTerminalLine(label), inner - 2), ...(active ? (["chosen"] as const) : []));
    return [[mark, number, words]];
  });
}

function writingRows(request: OpenRequest, { typed }: AnswerDraft, columns: number): WithCaret {
  const secret = request.method === "sudo" || request.method === "secret";
  const shown = secret ? { text: "•".repeat(typed.text.length), caret: typed.caret } : typed;
  return textRows(shown, { columns, rows: 4, placeholder: secret ? "hidden while you type" : "your answer" });
}

function hintOf({ method }: OpenRequest, answering: AnswerDraft, now: number): string {
  const { writing } = answering;
  if (!takesKeys(answering, now)) return "…";
  if (method === "sudo") return "Enter sends it · Esc refuses";
  if (method === "secret") return "Enter sends it · Esc skips";
  if (method === "clarify")
    return writing ? "Enter answers · Esc skips the question" : "A number or ↑↓ and Enter · Esc skips";
  return "A number or ↑↓ and Enter · Ctrl+C stops the turn · Esc denies";
}
