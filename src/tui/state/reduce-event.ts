import { counted } from "../../shared/text/counted.ts";
import type { GatewayEvent, Payload } from "../gateway.ts";
import { withDetail } from "./details.ts";
import type { Entry } from "./entry.ts";
import { NO_TEXT, settleAll } from "./live-text.ts";
import { withTrustQuestion, addQuestion, resolveQuestion } from "./questions.ts";
import { completeTool, progressTool, startTool } from "./tools.ts";
import { completeTurn, beginTurn } from "./turns.ts";
import { print, type ViewState, type RunningShell } from "./view-state.ts";

/** What an event changes. Events of other sessions have been left out before. */
export function reduceEvent(view: ViewState, event: GatewayEvent, at: number): ViewState {
  switch (event.type) {
    case "gateway.ready":
      return { ...view, version: event.payload.version, skin: event.payload.skin };
    case "skin.changed":
      return { ...view, skin: event.payload };
    case "message.delta":
      return reduceDelta(view, event.payload.text, at);
    case "reasoning.delta":
      return reduceThinking(view, event.payload.text, at);
    case "thinking.delta":
      return reduceDoing(view, event.payload.text);
    case "tool.generating":
      return reduceDoing(view, `writing a call of ${event.payload.name}`);
    case "tool.start":
      return startTool(flushThinking(flushAnswer(view), at), event.payload, at);
    case "tool.progress":
      return progressTool(view, event.payload);
    case "tool.complete":
      return completeTool(view, event.payload);
    case "message.start":
      return beginTurn(view, event.payload, at);
    case "message.complete":
      return completeTurn(flushThinking(view, at), event.payload, at);
    case "status.update":
      return reduceStatus(view, event.payload);
    case "todo.updated":
      return { ...view, todos: event.payload.todos };
    default:
      return reduceSession(view, event, at);
  }
}

type Frequent =
  | "gateway.ready"
  | "skin.changed"
  | "message.delta"
  | "reasoning.delta"
  | "thinking.delta"
  | "tool.generating"
  | "tool.start"
  | "tool.progress"
  | "tool.complete"
  | "message.start"
  | "message.complete"
  | "status.update"
  | "todo.updated";

function reduceSession(
  view: ViewState,
  event: Exclude<GatewayEvent, { type: Frequent }>,
  at: number,
): ViewState {
  const { session } = view;
  switch (event.type) {
    case "session.info": {
      if (session === undefined) return view;
      return withTrustQuestion({
        ...view,
        session: { ...session, info: event.payload, usage: event.payload.usage },
      });
    }
    case "session.title": {
      if (session === undefined) return view;
      return { ...view, session: { ...session, info: { ...session.info, title: event.payload.title } } };
    }
    case "session.usage":
      return session === undefined ? view : { ...view, session: { ...session, usage: event.payload.usage } };
    case "history.changed":
      return print(view, historyNote(event.payload, session?.info.cwd));
    case "session.reclaimed":
    case "gateway.draining":
    case "error":
      return reduceTrouble(view, event);
    case "prompt.queued":
    case "prompt.dropped":
    case "prompt.held":
    case "prompt.confirmed":
    case "steer.accepted":
    case "steer.delivered":
      return reduceQueue(view, event);
    case "shell.output":
      return { ...view, shells: view.shells.map((shell) => withOutput(shell, event.payload)) };
    case "approval.request":
      return addQuestion(view, { method: "approval", payload: event.payload, at });
    case "clarify.request":
      return addQuestion(view, { method: "clarify", payload: event.payload, at });
    case "sudo.request":
      return addQuestion(view, { method: "sudo", payload: event.payload, at });
    case "secret.request":
      return addQuestion(view, { method: "secret", payload: event.payload, at });
    case "approval.resolved":
    case "clarify.resolved":
    case "sudo.resolved":
    case "secret.resolved":
      return resolveQuestion(view, event.payload, at);
    // The event that says how it ended comes beside these.
    case "approval.expire":
    case "clarify.expire":
    case "sudo.expire":
    case "secret.expire":
    case "request.cancel":
    case "reasoning.available":
    case "sessions.changed":
      return view;
    default:
      return reduceBeside(view, event);
  }
}

type Beside = Extract<GatewayEvent, { type: `background.${string}` | `subagent.${string}` }>;

function reduceBeside(view: ViewState, event: Beside): ViewState {
  switch (event.type) {
    case "background.start": {
      const { task_id: id, text } = event.payload;
      return { ...view, background: [...view.background, { id, text }] };
    }
    case "background.complete": {
      const { task_id, text, status } = event.payload;
      const background = view.background.filter(({ id }) => id !== task_id);
      const tone = status === "completed" ? "info" : "warn";
      return print({ ...view, background }, { kind: "note", tone, text: `In the background: ${text}` });
    }
    default:
      return reduceSubagent(view, event.payload, event.type === "subagent.complete");
  }
}

function reduceSubagent(view: ViewState, payload: Payload<"subagent.start">, complete: boolean): ViewState {
  const id = payload.subagent_id ?? `${payload.task_index}`;
  const others = view.subagents.filter((each) => each.id !== id);
  if (complete) {
    const failed = payload.status !== undefined && !/complet|ok|done/.test(payload.status);
    const text = `Subagent ${failed ? (payload.status ?? "failed") : "done"}: ${payload.goal}`;
    return print({ ...view, subagents: others }, { kind: "note", tone: failed ? "warn" : "ok", text });
  }
  const subagent = {
    id,
    parent: payload.parent_id,
    goal: payload.goal,
    status: payload.status ?? "working",
    doing:
      payload.tool_preview ??
      payload.tool_name ??
      (payload.text === payload.goal ? "" : (payload.text ?? "")),
    tools: payload.tool_count ?? 0,
  };
  // Each keeps its line, whoever did something last.
  const place = view.subagents.findIndex((each) => each.id === id);
  const subagents = place < 0 ? [...others, subagent] : view.subagents.with(place, subagent);
  return { ...view, subagents };
}

function reduceDelta(view: ViewState, text: string, at: number): ViewState {
  const next = view.thinking === undefined ? view : flushThinking(view, at);
  const turn = next.turn && { ...next.turn, said: next.turn.said + text.length, doing: "" };
  return { ...next, turn, answer: { ...next.answer, text: next.answer.text + text } };
}

/** Characters of reasoning that are kept: it is shown in few lines. */
const KEPT_THINKING = 8000;

function reduceThinking(view: ViewState, text: string, at: number): ViewState {
  const next = flushAnswer(view);
  const { text: before, since } = next.thinking ?? { text: "", since: at };
  return { ...next, thinking: { text: (before + text).slice(-KEPT_THINKING), since } };
}

const reduceDoing = (view: ViewState, doing: string): ViewState =>
  view.turn === undefined ? view : { ...view, turn: { ...view.turn, doing } };

/** Everything of the answer so far goes to print: something else follows it. */
function flushAnswer(view: ViewState): ViewState {
  if (view.answer.text === "") return view;
  return { ...print(view, ...settleAll(view.answer)), answer: NO_TEXT };
}

/** Everything that is still growing goes to print. */
export const flushLive = (view: ViewState, at: number): ViewState => flushThinking(flushAnswer(view), at);

function flushThinking(view: ViewState, at: number): ViewState {
  if (view.thinking === undefined) return view;
  const { text, since } = view.thinking;
  const next = withDetail({ ...view, thinking: undefined }, { title: "Thought", text });
  return print(next, { kind: "thinking", text, seconds: (at - since) / 1000 });
}

function reduceStatus(view: ViewState, { kind, text }: Payload<"status.update">): ViewState {
  if (kind === "status") return { ...view, status: "" };
  if (kind === "warn" || kind === "error") return print(view, { kind: "note", tone: kind, text });
  return { ...view, status: text };
}

function reduceTrouble(
  view: ViewState,
  event: Extract<GatewayEvent, { type: "session.reclaimed" | "gateway.draining" | "error" }>,
): ViewState {
  switch (event.type) {
    case "session.reclaimed":
      return print(view, {
        kind: "note",
        tone: "warn",
        text: `This session was closed: ${event.payload.reason}.`,
      });
    case "gateway.draining":
      return print(view, { kind: "note", tone: "warn", text: event.payload.message });
    case "error":
      // A turn that fails says so at its end.
      if (view.turn !== undefined) return view;
      return print(view, { kind: "note", tone: "error", text: event.payload.message });
  }
}

function reduceQueue(
  view: ViewState,
  event: Extract<GatewayEvent, { type: `prompt.${string}` | `steer.${string}` }>,
): ViewState {
  switch (event.type) {
    case "prompt.queued": {
      const { prompt_id: id, text } = event.payload;
      const others = view.queue.filter((each) => each.id !== id);
      return { ...view, queue: [...others, { id, text, held: false }] };
    }
    case "prompt.dropped":
      return { ...view, queue: view.queue.filter(({ id }) => !event.payload.prompt_ids.includes(id)) };
    case "prompt.held":
    case "prompt.confirmed": {
      const { prompt_ids } = event.payload;
      const held = event.type === "prompt.held";
      const queue = view.queue.map((each) => (prompt_ids.includes(each.id) ? { ...each, held } : each));
      return { ...view, queue };
    }
    case "steer.accepted":
      return { ...view, steers: [...view.steers, { id: event.payload.steer_id, text: event.payload.text }] };
    case "steer.delivered": {
      const steers = view.steers.filter(({ id }) => !event.payload.steer_ids.includes(id));
      return print({ ...flushAnswer(view), steers }, { kind: "steer", text: event.payload.text });
    }
  }
}

/** Characters of a running command's output that are kept for the screen. */
const SHELL_CHARACTERS = 8000;

const withOutput = (shell: RunningShell, { stream_id, text }: Payload<"shell.output">): RunningShell =>
  shell.id === stream_id ? { ...shell, output: (shell.output + text).slice(-SHELL_CHARACTERS) } : shell;

/** Files that are named when turns were taken back; the rest is counted. */
const MOST_FILES = 5;

const historyNote = (changed: Payload<"history.changed">, cwd: string | undefined): Entry => ({
  kind: "note",
  tone: "info",
  text: historyWords(changed, cwd),
});

function historyWords({ reason, turns = 1, files = [] }: Payload<"history.changed">, cwd = ""): string {
  if (reason === "compress") return "The older part of the conversation was summarized for the model.";
  const took = `Took back ${counted(turns, "turn")}.`;
  if (files.length === 0) return `${took} Files stay as they are.`;
  const names = files
    .slice(0, MOST_FILES)
    .map((path) => (cwd !== "" && path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path));
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : "";
  return `${took} Changed files stay as they are: ${names.join(", ")}${more}. /diff shows how.`;
}
