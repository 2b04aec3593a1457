import { changeHistory } from "./taken-back.ts";
import { flushAnswer, flushThinking } from "./flush.ts";
import { beginProcess, endProcess } from "./processes.ts";
import type { EventName, GatewayEvent, Payload } from "../gateway.ts";
import { note } from "./entry.ts";
import { addOpen, resolveQuestion, withTrustQuestion } from "./questions.ts";
import { completeTool, progressTool, startTool } from "./tools.ts";
import { beginTurn, completeTurn } from "./turns.ts";
import { print, type RunningShell, type ViewState } from "./view-state.ts";

type Step<Name extends EventName> = (view: ViewState, payload: Payload<Name>, at: number) => ViewState;

const same = (view: ViewState): ViewState => view;

/** What each event changes: a new one breaks the build until it is here. */
const STEPS: { readonly [Name in EventName]: Step<Name> } = {
  "gateway.ready": (view, { version, skin }) => ({ ...view, version, skin }),
  "gateway.draining": (view, { message }) => print(view, note("warn", message)),
  "skin.changed": (view, skin) => ({ ...view, skin }),
  "sessions.changed": same,
  "connectors.changed": same,
  "session.info": (view, info) => withTrustQuestion(withSession(view, () => ({ info, usage: info.usage }))),
  "session.title": (view, { title }) => withSession(view, ({ info }) => ({ info: { ...info, title } })),
  "session.usage": (view, { usage }) => withSession(view, () => ({ usage })),
  "session.reclaimed": (view, { reason }) => print(view, note("warn", `This session was closed: ${reason}.`)),
  "history.changed": changeHistory,
  "prompt.queued": (view, { prompt_id: id, text }) => ({
    ...view,
    queue: [...view.queue.filter((each) => each.id !== id), { id, text, held: false }],
  }),
  "prompt.dropped": (view, { prompt_ids }) => ({
    ...view,
    queue: view.queue.filter(({ id }) => !prompt_ids.includes(id)),
  }),
  "prompt.held": (view, { prompt_ids }) => holdQueued(view, prompt_ids, true),
  // Somebody sent it: it does not run by itself.
  "prompt.confirmed": ({ lastTurn, ...view }, { prompt_ids }) =>
    holdQueued({ ...view, lastTurn: lastTurn && { ...lastTurn, died: false } }, prompt_ids, false),
  "message.start": beginTurn,
  "message.delta": reduceDelta,
  "message.complete": (view, payload, at) => completeTurn(flushThinking(view, at), payload, at),
  "thinking.delta": (view, { text }) => reduceDoing(view, text),
  "reasoning.delta": reduceThinking,
  "reasoning.available": same,
  "status.update": reduceStatus,
  "steer.accepted": (view, { steer_id: id, text }) => ({ ...view, steers: [...view.steers, { id, text }] }),
  "steer.delivered": (view, { steer_ids, text }) => {
    const steers = view.steers.filter(({ id }) => !steer_ids.includes(id));
    return print({ ...flushAnswer(view), steers }, { kind: "steer", text });
  },
  "shell.output": (view, payload) => ({
    ...view,
    shells: view.shells.map((shell) => withOutput(shell, payload)),
  }),
  "tool.generating": (view, { name }) => reduceDoing(view, `writing a call of ${name}`),
  "tool.start": (view, payload, at) => startTool(flushThinking(flushAnswer(view), at), payload, at),
  "tool.progress": progressTool,
  "tool.complete": completeTool,
  "todo.updated": (view, { todos }) => ({ ...view, todos, todosIdle: 0 }),
  "approval.request": (view, payload, at) => {
    const params = { ...payload, ...sessionOf(view) };
    return addOpen(view, { id: payload.request_id, method: "approval", params }, at);
  },
  "clarify.request": (view, { choices, ...payload }, at) => {
    const given = choices === null ? {} : { choices };
    const params = { ...payload, ...given, ...sessionOf(view), questions: [] };
    return addOpen(view, { id: payload.request_id, method: "clarify", params }, at);
  },
  "sudo.request": (view, payload, at) => {
    const params = { ...payload, ...sessionOf(view) };
    return addOpen(view, { id: payload.request_id, method: "sudo", params }, at);
  },
  "secret.request": (view, payload, at) => {
    const params = { ...payload, ...sessionOf(view) };
    return addOpen(view, { id: payload.request_id, method: "secret", params }, at);
  },
  "approval.resolved": resolveQuestion,
  "clarify.resolved": resolveQuestion,
  "sudo.resolved": resolveQuestion,
  "secret.resolved": resolveQuestion,
  // The event that says how it ended comes beside these.
  "approval.expire": same,
  "clarify.expire": same,
  "sudo.expire": same,
  "secret.expire": same,
  "request.cancel": same,
  "process.start": beginProcess,
  "process.complete": endProcess,
  "background.start": (view, { task_id: id, text }) => ({
    ...view,
    background: [...view.background.filter((each) => each.id !== id), { id, text }],
  }),
  "background.complete": (view, { task_id, text, status }) => {
    const background = view.background.filter(({ id }) => id !== task_id);
    const tone = status === "completed" ? "info" : "warn";
    return print({ ...view, background }, note(tone, `In the background: ${text}`));
  },
  "subagent.spawn_requested": showSubagent,
  "subagent.start": showSubagent,
  "subagent.thinking": showSubagent,
  "subagent.tool": showSubagent,
  "subagent.progress": showSubagent,
  "subagent.complete": endSubagent,
  // A turn that fails says so at its end.
  error: (view, { message }) => (view.turn === undefined ? print(view, note("error", message)) : view),
};

/** What an event changes. Events of other sessions have been left out before. */
export function reduceEvent(view: ViewState, { type, payload }: GatewayEvent, at: number): ViewState {
  // Each step takes the payload of its own event; TypeScript cannot follow it through the index. A newer gateway may
  // have events that are not here.
  const step = STEPS[type] as Step<EventName> | undefined;
  return step?.(view, payload, at) ?? view;
}

type ShownSession = NonNullable<ViewState["session"]>;

function withSession(view: ViewState, change: (session: ShownSession) => Partial<ShownSession>): ViewState {
  const { session } = view;
  return session === undefined ? view : { ...view, session: { ...session, ...change(session) } };
}

const sessionOf = ({ session }: ViewState) => ({ session_id: session?.id ?? "" });

function holdQueued(view: ViewState, ids: readonly string[], held: boolean): ViewState {
  const queue = view.queue.map((each) => (ids.includes(each.id) ? { ...each, held } : each));
  return { ...view, queue };
}

const subagentId = (payload: Payload<"subagent.start">): string =>
  payload.subagent_id ?? `${payload.task_index}`;

function endSubagent(view: ViewState, payload: Payload<"subagent.complete">): ViewState {
  const { status, goal } = payload;
  const subagents = view.subagents.filter(({ id }) => id !== subagentId(payload));
  const failed = status !== undefined && !/complet|ok|done/.test(status);
  const text = `Subagent ${failed ? status : "done"}: ${goal}`;
  return print({ ...view, subagents }, note(failed ? "warn" : "ok", text));
}

function showSubagent(view: ViewState, payload: Payload<"subagent.start">): ViewState {
  const { goal, text = "", tool_name, tool_preview, tool_count, parent_id } = payload;
  const subagent = {
    id: subagentId(payload),
    parent: parent_id,
    goal,
    doing: tool_preview ?? tool_name ?? (text === goal ? "" : text),
    tools: tool_count ?? 0,
  };
  // Each keeps its line, whoever did something last.
  const place = view.subagents.findIndex(({ id }) => id === subagent.id);
  const subagents = place < 0 ? [...view.subagents, subagent] : view.subagents.with(place, subagent);
  return { ...view, subagents };
}

function reduceDelta(view: ViewState, { text }: Payload<"message.delta">, at: number): ViewState {
  const next = view.thinking === undefined ? view : flushThinking(view, at);
  const turn = next.turn && { ...next.turn, said: next.turn.said + text.length, doing: "" };
  return { ...next, turn, answer: { ...next.answer, text: next.answer.text + text } };
}

/** Characters of reasoning that are kept: it is shown in few lines. */
const KEPT_THINKING = 8000;

function reduceThinking(view: ViewState, { text }: Payload<"reasoning.delta">, at: number): ViewState {
  const next = flushAnswer(view);
  const { text: before, since } = next.thinking ?? { text: "", since: at };
  return { ...next, thinking: { text: (before + text).slice(-KEPT_THINKING), since } };
}

const reduceDoing = (view: ViewState, doing: string): ViewState =>
  view.turn === undefined ? view : { ...view, turn: { ...view.turn, doing } };

function reduceStatus(view: ViewState, { kind, text }: Payload<"status.update">): ViewState {
  if (kind === "status") return { ...view, status: "" };
  if (kind === "warn" || kind === "error") return print(view, note(kind, text));
  // Without a turn nothing would end it: it is said in its place.
  if (kind === "lifecycle" && view.turn === undefined) return print(view, note("info", text));
  return { ...view, status: text };
}

/** Characters of a running command's output that are kept for the screen. */
const SHELL_CHARACTERS = 8000;

const withOutput = (shell: RunningShell, { stream_id, text }: Payload<"shell.output">): RunningShell =>
  shell.id === stream_id ? { ...shell, output: (shell.output + text).slice(-SHELL_CHARACTERS) } : shell;
