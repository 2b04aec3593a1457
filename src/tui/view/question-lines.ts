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
import { type Choice, choicesOf } from "../state/choices.ts";
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

function bodyLines(request: OpenRequest, inner: number, rows: number): readonly Line[] {
  switch (request.method) {
    case "approval": {
      const { command, description, inline_diff } = request.params;
      const exact = wrapExact([span(command, "code")], inner - 2);
      const about = description === "" || description === command ? [] : wrap(description, inner, "dim");
      const diff = inline_diff === undefined ? [] : diffLines(inline_diff, inner - 2);
      const shown = cut(exact, Math.max(3, rows - about.length));
      const room = Math.max(0, rows - shown.length - about.length);
      return [
        ...indented(shown, BAR),
        ...about,
        ...(room === 0 || diff.length === 0 ? [] : indented(cut(diff, room), BAR)),
      ];
    }
    case "clarify":
      return cut(wrap(request.params.question, inner), rows);
    case "sudo":
      return cut(indented(wrapExact([span(request.params.command, "code")], inner - 2), BAR), rows);
    case "secret":
      return cut(wrap(`${request.params.prompt} (${request.params.env_var})`, inner), rows);
  }
}

const BAR = span("│ ", "border");

function cut(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  return [
    ...lines.slice(0, Math.max(0, most - 1)),
    line(`… ${lines.length - most + 1} more lines · Ctrl+O shows all`, "dim"),
  ];
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

/** Everything that a question says, for reading in full. */
export function questionText({ request }: Question): string {
  switch (request.method) {
    case "approval": {
      const { command, description, inline_diff = "" } = request.params;
      return [command, description, inline_diff].filter((each) => each !== "").join("\n\n");
    }
    case "clarify":
      return request.params.question;
    case "sudo":
      return request.params.command;
    case "secret":
      return `${request.params.prompt} (${request.params.env_var})`;
  }
}
