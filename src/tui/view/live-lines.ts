import { counted } from "../../shared/text/counted.ts";
import { asSeen } from "../../shared/text/control-sequences.ts";
import { hostQuestions, isWaiting } from "../state/questions.ts";
import { callTitle } from "../state/tools.ts";
import type { ToolCard } from "../state/entry.ts";
import type { ScreenSettings } from "../state/display-settings.ts";
import type {
  Queued,
  RunningCommand,
  RunningShell,
  SubagentView,
  TodoItem,
  ViewState,
} from "../state/view-state.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { fitFacts } from "../text/facts.ts";
import { count, duration } from "../text/figures.ts";
import { BLANK, hanging, indented, type Line, line, span } from "../text/line.ts";
import { fenceLines, markdownLines } from "../text/markdown.ts";
import { fit, width } from "../text/width.ts";
import { wrap } from "../text/wrap.ts";
import { GUTTER, tailOf, titleLine } from "./entry-lines.ts";
import { indicator } from "./indicator.ts";

/** Stands before what waits for a person. */
const WAITING_SIGN = "◆";
const MOST_OUTPUT = 4;
const MOST_QUEUED = 3;
const MOST_THINKING = 3;
const MOST_TODOS = 8;
const MOST_SUBAGENTS = 6;

interface LiveOptions {
  readonly columns: number;
  /** Lines that there is room for. */
  readonly rows: number;
  /** Unix milliseconds. */
  readonly now: number;
  readonly display: ScreenSettings;
  /** Ctrl+B has to be pressed twice there. */
  readonly inTmux?: boolean | undefined;
}

/** What is not finished: the end of the answer, running calls, the state of the turn. The newest is below. */
export function liveLines(view: ViewState, options: LiveOptions): readonly Line[] {
  const { columns, rows, now, display, inTmux = false } = options;
  const inner = Math.max(8, columns - GUTTER.length);
  const below = [
    ...todoLines(view.todosIdle > FORGOTTEN_TURNS ? [] : view.todos, {
      working: view.turn !== undefined && view.todosIdle <= IDLE_TURNS,
      inner,
      rows,
    }),
    ...(display.subagents === "hidden" ? [] : subagentLines(view.subagents, { inner, display })),
    ...workingLines(view, { inner, now, display }),
    ...waitingLines(view, inner),
  ];
  // A question that is on the screen needs no line that says that it is asked.
  const running = view.tools.filter(({ name }) => name !== "clarify" || view.questions.length === 0);
  const tools =
    display.tools === "hidden"
      ? []
      : running.flatMap((card) =>
          runningLines(card, { columns, now, display, inTmux, waits: isWaiting(view, card.id) }),
        );
  const parts = [
    { lines: thinkingLines(view, { inner, display }), apart: true },
    { lines: answerLines(view, inner), apart: view.answer.continues !== true },
    { lines: tools, apart: view.lastKind !== "tool" || view.answer.text !== "" },
    {
      lines: view.shells.flatMap((shell) => runningShell(shell, { columns, now, display, inTmux })),
      apart: true,
    },
    {
      lines: view.commands.map((command) => runningCommand(command, { columns, now, display })),
      apart: true,
    },
    { lines: below, apart: true },
  ].filter(({ lines }) => lines.length > 0);
  const all = parts.flatMap(({ lines, apart }) => (apart && !display.compact ? [BLANK, ...lines] : lines));
  // What is above the window cannot be drawn: it is printed once it is finished.
  return all.slice(-Math.max(1, rows));
}

function answerLines({ answer }: ViewState, inner: number): readonly Line[] {
  const { text, fence } = answer;
  if (text.trim() === "") return [];
  const lines = fence === undefined ? markdownLines(text, inner) : fenceLines(text, fence.language, inner);
  return indented(lines, GUTTER);
}

interface PartOptions {
  readonly inner: number;
  readonly display: ScreenSettings;
}

function thinkingLines({ thinking }: ViewState, { inner, display }: PartOptions): readonly Line[] {
  if (thinking === undefined || display.thinking === "hidden") return [];
  const lines = wrap(thinking.text.trim(), inner, "dim", "italic");
  const most = display.thinking === "expanded" ? display.mostThinking : MOST_THINKING;
  return hanging(lines.slice(-most), span("∴ ", "dim"), GUTTER);
}

function runningLines(
  card: ToolCard,
  { columns, now, display, inTmux, waits }: Omit<LiveOptions, "rows"> & { readonly waits: boolean },
): readonly Line[] {
  const { name, preview, startedAt } = card;
  const seconds = waits ? 0 : (now - startedAt) / 1000;
  const way = name === "terminal" ? backgroundHint(seconds, { columns, inTmux }) : "";
  const after = seconds >= 1 ? ` ${duration(Math.floor(seconds))}${way}` : "";
  const sign = waits ? WAITING_SIGN : indicator(now, display.indicator);
  const title = titleLine({ mark: span(`${sign} `, "accent"), words: callTitle(card), after }, columns);
  if (preview.trim() === "" || display.tools === "collapsed") return [title];
  const inner = columns - GUTTER.length - 2;
  const output = tailOf(preview.trimEnd(), { inner, most: MOST_OUTPUT, style: "dim" });
  return [title, ...indented(output, span(`${GUTTER}│ `, "dim"))];
}

/** A command that takes so many seconds may be wanted in the background. */
const LONG_S = 4;
/** Columns below which there is no room to say how. */
const HINT_COLUMNS = 60;

function backgroundHint(
  seconds: number,
  { columns, inTmux }: Pick<LiveOptions, "columns" | "inTmux">,
): string {
  if (seconds < LONG_S || columns < HINT_COLUMNS) return "";
  return ` · ${inTmux ? "Ctrl+B Ctrl+B" : "Ctrl+B"} to the background`;
}

/** Lines of the output of a command of the person's own, while it runs. */
const MOST_SHELL = 12;

function runningShell(
  { command, output, startedAt }: RunningShell,
  { columns, now, display, inTmux }: Omit<LiveOptions, "rows">,
): readonly Line[] {
  const seconds = (now - startedAt) / 1000;
  const way = backgroundHint(seconds, { columns, inTmux });
  const after = ` ${duration(Math.floor(seconds))} · Ctrl+C stops${way}`;
  const mark = span(`${indicator(now, display.indicator)} `, "shell");
  const title = titleLine({ mark, words: forTerminalLine(command), after }, columns);
  // Only all of it together says what was written over: a piece may end within a sequence or before the next state.
  const seen = asSeen(output).trimEnd();
  if (seen === "") return [title];
  const tail = wrap(seen, columns - GUTTER.length - 2).slice(-MOST_SHELL);
  return [title, ...indented(tail, span(`${GUTTER}│ `, "dim"))];
}

function runningCommand(
  { command, startedAt }: RunningCommand,
  { columns, now, display }: Pick<LiveOptions, "columns" | "now" | "display">,
): Line {
  const mark = span(`${indicator(now, display.indicator)} `, "accent");
  const after = ` ${duration(Math.floor((now - startedAt) / 1000))} · Ctrl+C stops`;
  return titleLine({ mark, words: forTerminalLine(command), after }, columns);
}

function workingLines(
  view: ViewState,
  { inner, now, display }: PartOptions & { readonly now: number },
): readonly Line[] {
  const { turn, status, session, connection } = view;
  const questions = hostQuestions(view);
  if (turn === undefined)
    return status === "" ? [] : [[span("· ", "accent"), span(fit(forTerminalLine(status), inner), "dim")]];
  const seconds = duration(Math.max(0, Math.floor((now - turn.startedAt) / 1000)));
  const words =
    connection.status !== "ready"
      ? "Waiting for the connection"
      : questions.length > 0
        ? "Waiting for your answer"
        : turn.interrupting
          ? "Interrupting"
          : doingWords(view);
  const tokens = session?.usage.output ?? 0;
  const figures = [seconds, ...(tokens > 0 ? [`${count(tokens)} tokens`] : []), "Esc stops"].join(" · ");
  const sign = questions.length > 0 ? WAITING_SIGN : indicator(now, display.indicator);
  const room = inner + GUTTER.length - width(sign) - 1;
  const said = fit(words, room);
  const facts = fitFacts(figures, room - width(said) - 2);
  const after = facts === "" ? [] : [span(`  ${facts}`, "dim")];
  return [[span(`${sign} `, "accent"), span(said), ...after]];
}

function doingWords({ status, turn, tools }: ViewState): string {
  if (status !== "") return forTerminalLine(status);
  if (tools.length > 0) return tools.length === 1 ? "Running a tool" : `Running ${tools.length} tools`;
  const doing = forTerminalLine(turn?.doing ?? "").replace(/…$/, "");
  return doing === "" ? "Writing" : doing.charAt(0).toUpperCase() + doing.slice(1);
}

/** What was sent and waits: unconfirmed, steering, queued. */
function waitingLines({ sending, steers, queue }: ViewState, inner: number): readonly Line[] {
  const lines: Line[] = sending.map((text) => waiting("sending ", text, inner));
  for (const { text } of steers) lines.push(waiting("steering ", text, inner));
  const shown = queue.slice(0, MOST_QUEUED);
  for (const [index, queued] of shown.entries())
    lines.push(waiting(queueMark(queued, index), queued.text, inner));
  if (queue.length > shown.length)
    lines.push(line(`${GUTTER}… ${queue.length - shown.length} more queued`, "dim"));
  return lines;
}

const queueMark = ({ held }: Queued, index: number): string => (held ? "held " : `queued ${index + 1} `);

const waiting = (mark: string, text: string, inner: number): Line => [
  span(GUTTER),
  span(mark, "accent"),
  span(fit(forTerminalLine(text), inner - mark.length), "dim"),
];

const TODO_MARKS = { pending: "☐", in_progress: "▸", completed: "☑", cancelled: "☒" } as const;

interface TodoOptions {
  readonly working: boolean;
  readonly inner: number;
  /** Lines that there is room for, with all else. */
  readonly rows: number;
}

/** Of the room, so much may be for steps. */
const TODO_SHARE = 3;
/** Turns that have ended since the steps were changed: after more, one at least had nothing to do with them. */
const IDLE_TURNS = 1;
/** After so many nobody works on them any more; `/todos` has them. */
const FORGOTTEN_TURNS = 4;

/**
 * The steps, as long as one is open: the next ones while a turn runs, in a small window or without a turn only the present one.
 */
function todoLines(todos: readonly TodoItem[], { working, inner, rows }: TodoOptions): readonly Line[] {
  const open = todos.filter(({ status }) => status === "pending" || status === "in_progress");
  if (open.length === 0) return [];
  const done = `${todos.length - open.length} of ${todos.length} steps done`;
  const most = Math.min(MOST_TODOS, Math.floor(rows / TODO_SHARE) - 1);
  const present = open.find(({ status }) => status === "in_progress") ?? open[0];
  if ((!working || most < 2) && present !== undefined) return [presentLine(present, done, inner)];
  const shown = todos.length <= most ? todos : open.slice(0, most);
  const left = open.filter((each) => !shown.includes(each)).length;
  const title = line(`${GUTTER}${done}${left === 0 ? "" : ` · ${left} more to do`}`, "dim");
  return [title, ...shown.map((item): Line => [span(GUTTER), ...stepSpans(item, inner)])];
}

/** One step, and how far it all is. */
function presentLine(step: TodoItem, done: string, inner: number): Line {
  const after = `  ${done} · /todos clear`;
  return [span(GUTTER), ...stepSpans(step, Math.max(8, inner - after.length)), span(after, "dim")];
}

function stepSpans({ content, status }: TodoItem, room: number): Line {
  const [...styles] =
    status === "in_progress" ? (["accent"] as const) : status === "pending" ? [] : (["dim"] as const);
  return [
    span(`${TODO_MARKS[status]} `, ...styles),
    span(fit(forTerminalLine(content), room - 2), ...styles),
  ];
}

function subagentLines(subagents: readonly SubagentView[], { inner, display }: PartOptions): readonly Line[] {
  if (display.subagents === "collapsed" && subagents.length > 0)
    return [[span(GUTTER), span("◦ ", "accent"), span(counted(subagents.length, "subagent"), "dim")]];
  const lines = subagents.slice(0, MOST_SUBAGENTS).map(({ parent, goal, doing, tools }): Line => {
    const indent = parent === undefined ? "" : "  ";
    const words = `${goal}${doing === "" ? "" : ` · ${doing}`}${tools === 0 ? "" : ` · ${tools} calls`}`;
    return [span(GUTTER + indent), span("◦ ", "accent"), span(fit(forTerminalLine(words), inner - 4))];
  });
  const rest = subagents.length - lines.length;
  return rest > 0 ? [...lines, line(`${GUTTER}… ${rest} more subagents`, "dim")] : lines;
}
