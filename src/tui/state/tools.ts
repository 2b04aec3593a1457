import type { Payload } from "../gateway.ts";
import { withDetail } from "./details.ts";
import { forTerminalLine } from "../terminal/terminal-text.ts";
import type { Before, ToolCard } from "./entry.ts";
import { print, type ViewState } from "./view-state.ts";

/** Characters of a result that are kept for printing: few lines of it are shown. */
const KEPT_OUTPUT = 4000;
/** The same for reading it in full. */
const KEPT_DETAIL = 30_000;

/** Kinds of tools whose results are for the model to read; people know where to find them. */
const LOOKS_UP: ReadonlySet<string> = new Set(["read", "search"]);

/** What a call is about, in a line. */
export const callTitle = ({ label, name }: ToolCard): string =>
  forTerminalLine(label.trim() === "" ? name : label);

export function startTool(view: ViewState, payload: Payload<"tool.start">, at: number): ViewState {
  const card: ToolCard = {
    id: payload.tool_id,
    name: payload.name,
    label: `${view.skin?.tool_prefix ?? ""}${payload.context}`,
    looksUp: LOOKS_UP.has(payload.kind),
    startedAt: at,
    preview: "",
    diff: payload.inline_diff ?? "",
  };
  const others = view.tools.filter(({ id }) => id !== card.id);
  return { ...view, tools: [...others, card] };
}

export function progressTool(view: ViewState, { tool_id, preview }: Payload<"tool.progress">): ViewState {
  const shown = preview.slice(-KEPT_OUTPUT);
  return {
    ...view,
    tools: view.tools.map((card) => (card.id === tool_id ? { ...card, preview: shown } : card)),
  };
}

/** The card of a call that is over goes to print. */
export function completeTool(view: ViewState, payload: Payload<"tool.complete">): ViewState {
  const { tool_id: id, name, outcome, duration_s: seconds } = payload;
  const output = outputOf(payload);
  const running = view.tools.find((card) => card.id === id) ?? { id, label: name, startedAt: 0, diff: "" };
  const card: ToolCard = {
    ...running,
    name,
    preview: "",
    diff: payload.inline_diff ?? running.diff,
    end: {
      outcome,
      seconds,
      summary: payload.error ?? payload.summary ?? "",
      output: output.slice(-KEPT_OUTPUT),
      before: beforeKept(output),
    },
  };
  const detail = {
    title: card.label,
    text: [card.diff, output].filter((each) => each !== "").join("\n\n"),
    isChange: card.diff !== "",
  };
  const next = withDetail({ ...view, tools: view.tools.filter((each) => each.id !== id) }, detail);
  // A question is printed as such, with its answer or why there is none.
  if (name === "clarify" && outcome !== "error" && outcome !== "unknown") return next;
  return print(next, { kind: "tool", card });
}

/** The part of a result before what is kept of it. */
function beforeKept(output: string): Before {
  return { lines: output.slice(0, -KEPT_OUTPUT).split("\n").length - 1, made: madeOf(output) };
}

/** How much a command made, where its result says that some of it was left out. */
function madeOf(output: string): Before["made"] {
  const [, size, unit] = /\n\[… (?:some )?\d+ of (\d+) (bytes|characters) left out …\]\n/.exec(output) ?? [];
  return size === undefined
    ? undefined
    : { size: Number(size), unit: unit === "bytes" ? unit : "characters" };
}

function outputOf({ result }: Payload<"tool.complete">): string {
  if (result === undefined || result === null) return "";
  const text = typeof result === "string" ? result : JSON.stringify(result, undefined, 2);
  return text.slice(-KEPT_DETAIL);
}
