import { type ByType, callByType } from "../../shared/union/by-type.ts";
import type { Attached, ConnectionState, GatewayEvent, Result } from "../gateway.ts";
import { attachView } from "./attach.ts";
import { type Entry, note } from "./entry.ts";
import { settle } from "./live-text.ts";
import { flushLive } from "./flush.ts";
import { reduceEvent } from "./reduce-event.ts";
import { type ShownAgain, showAgain } from "./taken-back.ts";
import { print, type ViewState } from "./view-state.ts";

/** An action that changes the view. Times are Unix milliseconds. */
export type ViewAction =
  | { readonly type: "event"; readonly event: GatewayEvent; readonly at: number }
  | { readonly type: "connection"; readonly state: ConnectionState }
  | { readonly type: "attached"; readonly attached: Attached; readonly at: number; readonly print: boolean }
  /** What a session has beside its conversation, learnt on the way. */
  | { readonly type: "standing"; readonly standing: Result<"session.status">["state"] }
  /** Entries up to a key are on the screen. */
  | { readonly type: "printed"; readonly upTo: number }
  /** Turns that were taken back have left the screen. */
  | ({ readonly type: "shownAgain" } & ShownAgain)
  | { readonly type: "print"; readonly entry: Entry }
  | { readonly type: "sending"; readonly text: string }
  | { readonly type: "sent"; readonly text: string }
  | { readonly type: "shell.begins"; readonly id: string; readonly command: string; readonly at: number }
  | { readonly type: "shell.ends"; readonly id: string; readonly entry: Entry | undefined }
  | { readonly type: "command.begins"; readonly id: string; readonly command: string; readonly at: number }
  | { readonly type: "command.ends"; readonly id: string }
  | { readonly type: "interrupting" }
  /** The client leaves: half an answer stays on the screen. */
  | { readonly type: "leaving"; readonly at: number }
  | { readonly type: "answering"; readonly requestId: string; readonly answering: boolean };

/** What each action does to the view. Pure: what it shows follows from what was told, in that order. */
const ACTIONS: ByType<ViewAction, ViewState, ViewState> = {
  event: ({ event, at }, view) => reduceEvent(view, event, at),
  connection: ({ state }, view) => reduceConnection(view, state),
  attached: (action, view) => attachView(view, action.attached, action),
  standing: ({ standing }, view) => reduceStanding(view, standing),
  printed: ({ upTo }, view) => ({ ...view, finished: view.finished.filter(({ key }) => key > upTo) }),
  shownAgain: (action, view) => showAgain(view, action),
  print: ({ entry }, view) => print(view, entry),
  sending: ({ text }, view) => ({ ...view, sending: [...view.sending, text] }),
  sent: ({ text }, view) => ({ ...view, sending: without(view.sending, text) }),
  "shell.begins": ({ id, command, at: startedAt }, view) => ({
    ...view,
    shells: [...view.shells, { id, command, output: "", startedAt }],
  }),
  "shell.ends": ({ id, entry }, view) => {
    const shells = view.shells.filter((shell) => shell.id !== id);
    return entry === undefined ? { ...view, shells } : print({ ...view, shells }, entry);
  },
  "command.begins": ({ id, command, at: startedAt }, view) => ({
    ...view,
    commands: [...view.commands, { id, command, startedAt }],
  }),
  "command.ends": ({ id }, view) => ({
    ...view,
    commands: view.commands.filter((each) => each.id !== id),
  }),
  interrupting: (_action, view) =>
    view.turn === undefined ? view : { ...view, turn: { ...view.turn, interrupting: true } },
  leaving: ({ at }, view) => flushLive(view, at),
  answering: ({ requestId, answering }, view) => ({
    ...view,
    questions: view.questions.map((each) =>
      each.request.params.request_id === requestId ? { ...each, answering } : each,
    ),
  }),
};

/**
 * Many actions at once, as one frame shows them; what of the answer can change no more is handed over for printing.
 */
export function reduceAll(view: ViewState, actions: readonly ViewAction[]): ViewState {
  const next = actions.reduce((now, action) => callByType(ACTIONS, action, now), view);
  const { entries, rest } = settle(next.answer);
  return rest === next.answer ? next : { ...print(next, ...entries), answer: rest };
}

function reduceConnection(view: ViewState, connection: ConnectionState): ViewState {
  const was = view.connection.status;
  const next = { ...view, connection };
  if (connection.status === "reconnecting" && was === "ready")
    return print(next, note("warn", `The connection was lost: ${connection.reason}`));
  if (connection.status === "ready" && was === "reconnecting")
    return print(next, note("ok", "Connected again."));
  if (connection.status === "closed") return print(next, note("error", `Disconnected: ${connection.reason}`));
  return next;
}

function reduceStanding(
  view: ViewState,
  { queue, todos, background }: Result<"session.status">["state"],
): ViewState {
  return {
    ...view,
    queue: queue.map(({ prompt_id: id, text, held }) => ({ id, text, held })),
    todos,
    background: background.map(({ task_id: id, text }) => ({ id, text })),
  };
}

function without(texts: readonly string[], text: string): readonly string[] {
  const at = texts.indexOf(text);
  return at === -1 ? texts : texts.toSpliced(at, 1);
}
