import type { AskedRequest } from "../gateway.ts";
import type { AnswerDraft } from "../state/app-state.ts";
import type { Question } from "../state/view-state.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { diffLines } from "../text/diff.ts";
import { countdown } from "../text/figures.ts";
import { BLANK, indented, type Line, line, lineWidth, span } from "../text/line.ts";
import { fitFacts } from "../text/facts.ts";
import { fit } from "../text/width.ts";
import { wrap, wrapExact } from "../text/wrap.ts";
import { counted } from "../../shared/text/counted.ts";
import { type Choice, choicesOf, digitOf, isHidden } from "../state/choices.ts";
import { alwaysParts, type QuestionPart, questionParts } from "../state/question-parts.ts";
import { textRows, type WithCaret } from "./composer-lines.ts";
import { GUTTER } from "./entry-lines.ts";

interface QuestionOptions {
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
  /** Questions that are open, this one among them. */
  readonly open: number;
}

/** Rows of a line in which an answer is written. */
const MOST_WRITING = 4;

/** A question with its answers. The exact command is always whole when there is room; a diff is cut before the choices are. */
export function questionLines(
  question: Question,
  answering: AnswerDraft,
  options: QuestionOptions,
): WithCaret {
  const { request } = question;
  const { columns, rows } = options;
  const inner = Math.max(8, columns - GUTTER.length);
  const title = titleLine(question, answering, options);
  const hint = line(
    `${GUTTER}${fitFacts(hintOf(request, answering), inner)}`,
    answering.entered ? "accent" : "dim",
  );
  if (answering.over) return { lines: [title, ...overLines(answering, inner), hint], caret: undefined };
  const below = choiceLines(choicesOf(request, answering.step), answering, inner);
  const writing =
    answering.step === "write" && answering.entered ? writingRows(answering, columns) : undefined;
  const taken = 2 + below.length + (writing?.lines.length ?? 0) + 1;
  const about = bodyLines(partsIn(request, answering), inner, Math.max(1, rows - taken));
  const above = [title, ...indented(about, GUTTER), BLANK];
  const lines = [...above, ...below, ...(writing?.lines ?? []), hint];
  const caret = writing?.caret && { x: writing.caret.x, y: above.length + writing.caret.y };
  return { lines, caret };
}

/** What is read before answering: the question; or what "always" would allow, when that is about to be said. */
const partsIn = (request: AskedRequest, { step }: AnswerDraft): readonly QuestionPart[] =>
  step === "confirm" ? alwaysParts(request) : questionParts(request);

function overLines({ step, typed, request }: AnswerDraft, inner: number): readonly Line[] {
  const words = "It ended before it was answered here: nothing was sent.";
  const kept = step === "write" && !isHidden(request) && typed.text !== "";
  const more = kept ? " What you wrote goes to the prompt." : "";
  return indented(wrap(words + more, inner, "warn"), GUTTER);
}

function titleLine(
  { request, until, answering }: Question,
  { step, over }: AnswerDraft,
  { columns, now, open }: QuestionOptions,
): Line {
  const words = over
    ? "This question is over"
    : step === "confirm"
      ? "Allow this from now on?"
      : TITLES[request.method];
  const title: Line = [span("◆ ", "warn"), span(words, "bold")];
  const { timeout_s } = request.params;
  // The clock of the screen may be a little behind.
  const seconds = until === undefined ? undefined : Math.ceil((until - now) / 1000);
  const left = seconds === undefined ? undefined : Math.min(timeout_s, Math.max(0, seconds));
  const facts = [
    ...(open > 1 ? [`1 of ${open}`] : []),
    ...(answering ? ["sending your answer"] : []),
    ...(answering || left === undefined || left > SOON_S ? [] : [`${countdown(left)} left`]),
  ];
  return [
    ...title,
    span(fit(facts.length === 0 ? "" : `  ${facts.join(" · ")}`, columns - lineWidth(title)), "dim"),
  ];
}

/** The time that is left is shown when it is no more than this, in seconds. */
const SOON_S = 600;

const TITLES = {
  approval: "Allow this?",
  clarify: "A question",
  sudo: "A command needs your password",
  secret: "A value is needed",
  trust: "Do you trust this folder?",
} as const;

/** All parts of a question. Each part that follows keeps some lines, if only to say what is missing. */
function bodyLines(all: readonly QuestionPart[], inner: number, rows: number): readonly Line[] {
  const parts = all.map(({ kind, text }) => ({
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

function choiceLines(
  choices: readonly Choice[],
  { marked, entered }: AnswerDraft,
  inner: number,
): readonly Line[] {
  return choices.map((choice, index) => {
    const active = index === marked;
    const mark = span(active ? "❯ " : GUTTER, "accent");
    const key = `${entered ? "" : "Alt+"}${digitOf(choice, index)} `;
    const number = span(key, active ? "chosen" : "dim");
    const styles = active ? (["chosen"] as const) : entered ? [] : (["dim"] as const);
    return [mark, number, span(fit(forTerminalLine(choice.label), inner - key.length), ...styles)];
  });
}

function writingRows({ typed, request }: AnswerDraft, columns: number): WithCaret {
  const hidden = isHidden(request);
  const shown = hidden ? { text: "•".repeat(typed.text.length), caret: typed.caret } : typed;
  const placeholder = hidden
    ? "hidden while you type"
    : request.method === "approval"
      ? "what to do instead, in your words"
      : "your answer";
  return textRows(shown, { columns, rows: MOST_WRITING, placeholder });
}

const APPROACH = "Alt+A answers, so does ↑ on an empty line · Ctrl+O shows all";
const APPROACH_CHOICES = "Alt+A answers, or Alt and a number, then Enter · Ctrl+O shows all";

const WRITING_HINTS = {
  approval: "Enter denies with these words · Esc goes back",
  clarify: "Enter answers; an empty answer skips · Esc goes back",
  sudo: "Enter sends it; an empty one refuses · Esc goes back",
  trust: "",
  secret: "Enter sends it; an empty one skips · Esc goes back",
} as const;

function hintOf({ method }: AskedRequest, { entered, step, marked, over }: AnswerDraft): string {
  if (over) return "Enter or Esc goes back to the prompt";
  if (!entered) return step === "write" ? APPROACH : APPROACH_CHOICES;
  if (step === "write") return WRITING_HINTS[method];
  return marked === undefined
    ? "A number or ↓ marks an answer · Esc goes back to the prompt"
    : "Enter takes the marked answer · Esc goes back to the prompt";
}
