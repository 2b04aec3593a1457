import type { Payload } from "../gateway.ts";
import { withDetail } from "./details.ts";
import type { ToolCard } from "./entry.ts";
import { print, type ViewState } from "./view-state.ts";

/** Characters of a result that are kept for printing: few lines of it are shown. */
const KEPT_OUTPUT = 4000;
/** The same for reading it in full. */
const KEPT_DETAIL = 30_000;

/** Kinds of tools whose results are for the model to read; people know where to find them. */
const LOOKS_UP: ReadonlySet<string> = new Set(["read", "search"]);

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
  const running = view.tools.find((card) => card.id === id);
  const card: ToolCard = {
    id,
    name,
    label: running?.label ?? name,
    looksUp: running?.looksUp ?? false,
    startedAt: running?.startedAt ?? 0,
    preview: "",
    diff: payload.inline_diff ?? running?.diff ?? "",
    end: {
      outcome,
      seconds,
      summary: payload.error ?? payload.summary ?? "",
      output: output.slice(-KEPT_OUTPUT),
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

function outputOf({ result }: Payload<"tool.complete">): string {
  if (result === undefined || result === null) return "";
  const text = typeof result === "string" ? result : JSON.stringify(result, undefined, 2);
  return text.slice(-KEPT_DETAIL);
}
