import type { AppState } from "../state/app-state.ts";
import type { SessionInfo } from "../gateway.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import { cost, count, subagentCount } from "../text/figures.ts";
import { type Line, span, type Span, type Style } from "../text/line.ts";
import { fit, fitEnd, width } from "../text/width.ts";
import { GUTTER } from "./entry-lines.ts";

interface Segment {
  readonly text: string;
  readonly styles: readonly Style[];
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
  if (hint !== "") return [{ text: forTerminalLine(hint), styles: ["warn"], worth: 9 }];
  const connection = connectionWords(view.connection);
  const context = contextSegment(session?.usage);
  const waiting = others.waiting === 0 ? "" : `${others.waiting} waiting elsewhere`;
  return [
    { ...connection, worth: 8 },
    { text: waiting, styles: ["warn"], worth: 7 },
    { text: forTerminalLine(session?.info.model ?? ""), styles: ["dim"], worth: 6 },
    { ...modeSegment(session?.info.mode), worth: 7 },
    {
      text: view.subagents.length === 0 ? "" : subagentCount(view.subagents.length),
      styles: ["accent"],
      worth: 5,
    },
    {
      text: view.background.length === 0 ? "" : `${view.background.length} in the background`,
      styles: ["dim"],
      worth: 5,
    },
    { ...context, worth: 5 },
    { text: cost(session?.usage.cost_usd), styles: ["dim"], worth: 3 },
    { text: folder(session?.info, home), styles: ["dim"], worth: 4 },
    { text: fit(forTerminalLine(session?.info.title ?? ""), 32), styles: ["dim"], worth: 2 },
    { text: others.open > 1 ? `${others.open} sessions` : "", styles: ["dim"], worth: 1 },
  ];
}

function connectionWords(connection: AppState["view"]["connection"]): Pick<Segment, "text" | "styles"> {
  switch (connection.status) {
    case "ready":
      return { text: "", styles: [] };
    case "connecting":
      return { text: "starting", styles: ["accent"] };
    case "reconnecting":
      return { text: `reconnecting (attempt ${connection.attempt})`, styles: ["warn"] };
    case "closed":
      return { text: "disconnected", styles: ["error"] };
  }
}

const MODES: Readonly<Record<SessionInfo["mode"], Pick<Segment, "text" | "styles">>> = {
  ask: { text: "ask", styles: ["dim"] },
  edits: { text: "edits allowed", styles: ["dim"] },
  plan: { text: "plan", styles: ["accent"] },
  all: { text: "all allowed", styles: ["warn"] },
};

const modeSegment = (mode: SessionInfo["mode"] | undefined): Pick<Segment, "text" | "styles"> =>
  mode === undefined ? { text: "", styles: [] } : MODES[mode];

/** How much of the model's window is used: worth a colour when it gets short. */
function contextSegment(
  usage:
    | { readonly context_used?: number | undefined; readonly context_max?: number | undefined }
    | undefined,
): Pick<Segment, "text" | "styles"> {
  const { context_used: used, context_max: most } = usage ?? {};
  if (used === undefined || most === undefined || most === 0) return { text: "", styles: [] };
  const percent = Math.round((used / most) * 100);
  const styles: readonly Style[] = percent >= 90 ? ["error"] : percent >= 70 ? ["warn"] : ["dim"];
  return { text: `${percent}% of ${count(most)}`, styles };
}

function folder(info: { readonly cwd: string; readonly branch: string } | undefined, home: string): string {
  if (info === undefined) return "";
  const path = home !== "" && info.cwd.startsWith(home) ? `~${info.cwd.slice(home.length)}` : info.cwd;
  const branch = info.branch === "" ? "" : ` (${fit(forTerminalLine(info.branch), 20)})`;
  return fitEnd(forTerminalLine(path), 36) + branch;
}
