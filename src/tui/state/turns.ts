import type { Payload } from "../gateway.ts";
import { joinFacts } from "../text/facts.ts";
import { cost, count, duration } from "../text/figures.ts";
import { type Entry, interruptedEntries, note, QUEUED_RUNS } from "./entry.ts";
import { NO_TEXT, settleAll } from "./live-text.ts";
import { placeWords } from "../../shared/text/surface-words.ts";
import { print, type ViewState } from "./view-state.ts";

/** A turn begins with what was asked. */
export function beginTurn(view: ViewState, payload: Payload<"message.start">, at: number): ViewState {
  const { prompt_id, turn_id, text, images, attached = [], from } = payload;
  const cwd = `${view.session?.info.cwd ?? ""}/`;
  const names = attached.map((name) => (name.startsWith(cwd) ? name.slice(cwd.length) : name));
  const own = view.sending.indexOf(text);
  const next: ViewState = {
    ...view,
    session: view.session && { ...view.session, talked: true },
    sending: own === -1 ? view.sending : view.sending.toSpliced(own, 1),
    queue: view.queue.filter(({ id }) => id !== prompt_id),
    turn: { id: turn_id, startedAt: at, doing: "", said: 0, interrupting: false },
    answer: NO_TEXT,
    status: "",
  };
  const elsewhere = own === -1 && from.surface !== "gateway" ? placeWords(from.surface) : "";
  const asked: Entry = { kind: "user", text, images, attached: names, from: elsewhere };
  const wasQueued = view.queue.some(({ id }) => id === prompt_id);
  const runsByItself = own === -1 && wasQueued && view.lastTurn?.died === true;
  return print(next, asked, ...(runsByItself ? [QUEUED_RUNS] : []));
}

/** A turn ends: what is left of the answer, what it cost, and what went wrong. */
export function completeTurn(view: ViewState, payload: Payload<"message.complete">, at: number): ViewState {
  const { text, status, usage, error, warning, reason, stopped_by } = payload;
  const { turn, answer } = view;
  // Deltas that never came, as after a cut: the whole answer is in the event.
  const missing = turn === undefined ? "" : text.slice(turn.said);
  const rest = settleAll({ ...answer, text: answer.text + missing });
  const seconds = turn === undefined ? 0 : (at - turn.startedAt) / 1000;
  const ends: Entry[] = [];
  // Who stops a turn gets them back into the composer.
  if (turn?.interrupting !== true)
    for (const { text: said } of view.steers)
      ends.push(note("warn", `The turn ended before it read: ${said}`));
  if (status === "error") ends.push(note("error", error?.message ?? "The turn failed."));
  if (warning !== undefined) ends.push(note("warn", warning));
  const tokens = usage.total === 0 ? "" : `${count(usage.total)} tokens`;
  // Who else stopped it: that it was oneself, at this window, one knows without a place.
  const by = turn?.interrupting === true ? "by you" : stopped_by && `from ${placeWords(stopped_by)}`;
  const stopped = status === "interrupted" ? (by ?? "") : "";
  const took = joinFacts(stopped, duration(seconds), tokens, cost(usage.cost_usd));
  if (reason !== undefined) ends.push(...interruptedEntries(reason, took));
  else ends.push({ kind: "turn", outcome: status, text: took });
  return {
    ...print(view, ...rest, ...ends),
    turn: undefined,
    todosIdle: view.todosIdle + 1,
    lastTurn: { outcome: status, died: reason !== undefined },
    lastAnswer: text === "" ? view.lastAnswer : text,
    answer: NO_TEXT,
    tools: [],
    steers: [],
    subagents: [],
    status: "",
  };
}
