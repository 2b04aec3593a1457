import { counted } from "../../shared/text/counted.ts";
import type { AppState } from "../state/app-state.ts";
import type { SessionInfo, UsageWire } from "../gateway.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { runningBeside } from "../state/processes.ts";
import { cost, count } from "../text/figures.ts";
import { type Line, span, type Span } from "../text/line.ts";
import { fit, fitEnd, width } from "../text/width.ts";
import { GUTTER } from "./entry-lines.ts";

interface Segment extends Span {
  /** The lowest goes first when there is no room. */
  readonly worth: number;
}

const SEPARATOR = " · ";

/** The line above the composer: how it stands, in what there is room for. */
export function statusLine(state: AppState, home: string): Line {
  const room = state.size.columns - 2 * GUTTER.length - 2;
  let segments = segmentsOf(state, home).filter(({ text }) => text !== "");
  while (segments.length > 1 && total(segments) > room) {
    const least = Math.min(...segments.map(({ worth }) => worth));
    segments = segments.filter(({ worth }) => worth !== least);
  }
  const spans = segments.flatMap(({ text, styles }, index): readonly Span[] => [
    ...(index === 0 ? [] : [span(SEPARATOR, "dim")]),
    span(fit(text, room), ...styles),
  ]);
  const taken = GUTTER.length + 2 + spans.reduce((sum, { text }) => sum + width(text), 0);
  const rest = "─".repeat(Math.max(0, state.size.columns - 1 - taken));
  return [span("── ", "border"), ...spans, ...(rest === "" ? [] : [span(` ${rest}`, "border")])];
}

const total = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { text }) => sum + width(text), SEPARATOR.length * (segments.length - 1));

function segmentsOf(state: AppState, home: string): readonly Segment[] {
  const { view, others, hint } = state;
  const { session } = view;
  if (hint !== "") return [{ ...span(forTerminalLine(hint), "warn"), worth: 9 }];
  const subagents = view.subagents.length === 0 ? "" : counted(view.subagents.length, "subagent");
  const beside = runningBeside(view);
  const waiting = others.waiting === 0 ? "" : `${others.waiting} waiting elsewhere`;
  return [
    { ...connectionSpan(view.connection), worth: 8 },
    { ...span(waiting, "warn"), worth: 7 },
    { ...span(forTerminalLine(session?.info.model ?? ""), "dim"), worth: 6 },
    { ...modeSpan(session?.info.mode), worth: 7 },
    { ...sandboxSpan(session?.info.sandbox), worth: 5 },
    { ...span(subagents, "accent"), worth: 5 },
    { ...span(beside === 0 ? "" : `${beside} running`, "accent"), worth: 7 },
    { ...span(beside === 0 ? "" : "/processes", "dim"), worth: 2 },
    { ...contextSpan(session?.usage), worth: 5 },
    { ...span(cost(session?.usage.cost_usd), "dim"), worth: 3 },
    { ...span(folder(session?.info, home), "dim"), worth: 4 },
    { ...span(fit(forTerminalLine(session?.info.title ?? ""), 32), "dim"), worth: 2 },
    { ...span(others.open > 1 ? `${others.open} sessions` : "", "dim"), worth: 1 },
  ];
}

function connectionSpan(connection: AppState["view"]["connection"]): Span {
  switch (connection.status) {
    case "ready":
      return span("");
    case "connecting":
      return span("starting", "accent");
    case "reconnecting":
      return span(`reconnecting (attempt ${connection.attempt})`, "warn");
    case "closed":
      return span("disconnected", "error");
  }
}

const MODES: Readonly<Record<SessionInfo["mode"], Span>> = {
  ask: span("ask", "dim"),
  edits: span("edits allowed", "dim"),
  plan: span("plan", "accent"),
  all: span("all allowed", "warn"),
};

const modeSpan = (mode: SessionInfo["mode"] | undefined): Span =>
  mode === undefined ? span("") : MODES[mode];

/** A place outside that somebody chose is not news. */
function sandboxSpan(sandbox: SessionInfo["sandbox"]): Span {
  if (sandbox?.commands === "inside") return span("sandbox", "dim");
  return span(sandbox?.why === undefined ? "" : "no sandbox", "warn");
}

/** How much of the model's window is used: worth a colour when it gets short. */
function contextSpan(usage: UsageWire | undefined): Span {
  const { context_used: used, context_max: most } = usage ?? {};
  if (used === undefined || most === undefined || most === 0) return span("");
  const percent = Math.round((used / most) * 100);
  return span(`${percent}% of ${count(most)}`, percent >= 90 ? "error" : percent >= 70 ? "warn" : "dim");
}

function folder(info: SessionInfo | undefined, home: string): string {
  if (info === undefined) return "";
  const path = home !== "" && info.cwd.startsWith(home) ? `~${info.cwd.slice(home.length)}` : info.cwd;
  const branch = info.branch === "" ? "" : ` (${fit(forTerminalLine(info.branch), 20)})`;
  return fitEnd(forTerminalLine(path), 36) + branch;
}
