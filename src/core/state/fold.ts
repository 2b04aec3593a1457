import { defined } from "../../shared/json/defined.ts";
import { promptText, type UserPart } from "../events/content.ts";
import type { DurableEvent, EventNamed, Row, SettingsPatch } from "../events/events.ts";
import { personName } from "../events/prompt.ts";
import { foldProcess } from "./fold-process.ts";
import { foldSubagent, withChild } from "./fold-subagent.ts";
import { branch, patchSettings, start, withPastOnly } from "./fold-start.ts";
import { foldTurn } from "./fold-turn.ts";
import { EMPTY_STATE, type Range, type SessionState } from "./state.ts";
import { addHosts, withNamedHosts } from "./named-hosts.ts";
import { addUsage, NO_USAGE } from "../events/usage.ts";

/** Applies one row. Total: any row after any state gives a state, so that a cut or odd log still folds. */
export function fold(state: SessionState, row: Row): SessionState {
  const next = apply(state, row.event, row);
  return { ...next, n: row.n, seq: row.seq, activeAt: ACTIVITY.has(row.event.type) ? row.at : next.activeAt };
}

/** Applies rows in order. */
export function foldAll(rows: Iterable<Row>, state: SessionState = EMPTY_STATE): SessionState {
  let next = state;
  for (const row of rows) next = fold(next, row);
  return next;
}

/** Events that count as activity; renaming a session does not move it up in lists. */
const ACTIVITY = new Set<DurableEvent["type"]>([
  "session.start",
  "session.branch",
  "session.import",
  "prompt.queued",
  "turn.start",
  "reply.complete",
  "tool.complete",
  "turn.end",
]);

function apply(state: SessionState, event: DurableEvent, row: Row): SessionState {
  switch (event.type) {
    case "session.start":
      return start(state, event, row);
    case "session.branch":
      return branch(state, event, row);
    case "session.import":
      return withPastOnly(state, row);
    case "session.end":
      return state.endReason === undefined ? { ...state, endReason: event.reason, endedAt: row.at } : state;
    case "user.set":
      return { ...state, user: state.user ?? event.user };
    case "title.set":
      return { ...state, title: event.title, titleBy: event.title === "" ? "none" : event.by };
    case "settings.set":
      return settingsSet(state, event.patch);
    case "approval.pattern":
      return { ...state, allowed: allowedAfter(state.allowed, event) };
    case "prompt.queued":
      return { ...state, queue: [...state.queue, { prompt: event.prompt, queuedAt: row.at, held: false }] };
    case "prompt.dropped":
      return { ...state, queue: state.queue.filter(({ prompt }) => !event.promptIds.includes(prompt.id)) };
    case "prompt.held":
      return hold(state, event.promptIds, true);
    case "prompt.confirmed":
      return hold(state, event.promptIds, false);
    case "history.given":
      return given(state, event);
    case "turn.start":
      return startTurn(state, event, row);
    case "background.start":
      return withChild({ ...state, background: [...state.background, pick(event)] });
    case "background.complete":
      return completeBackground(state, event);
    case "subagent.start":
    case "subagent.complete":
      return foldSubagent(state, event, row);
    case "history.undo":
      return undo(state, event, row);
    case "history.compress":
      return compress(state, event, row);
    case "history.compress_failed":
      return {
        ...state,
        compressFailures: state.compressFailures + 1,
        usage: addUsage(state.usage, event.usage),
      };
    case "todos.cleared":
      return { ...state, todos: [] };
    case "process.start":
    case "process.complete":
      return foldProcess(state, event, row);
    case "notice":
      return state;
    default:
      return foldTurn(state, event, row);
  }
}

function allowedAfter(
  allowed: readonly string[],
  { patterns, revoked }: EventNamed<"approval.pattern">,
): readonly string[] {
  if (revoked === true) return allowed.filter((each) => !patterns.includes(each));
  return [...new Set([...allowed, ...patterns])];
}

function completeBackground(state: SessionState, event: EventNamed<"background.complete">): SessionState {
  const background = state.background.filter(({ taskId }) => taskId !== event.taskId);
  if (event.usage === undefined) return { ...state, background };
  return { ...state, background, usage: addUsage(state.usage, event.usage) };
}

const pick = ({ taskId, text, childId }: EventNamed<"background.start">) => ({ taskId, text, childId });

function settingsSet({ home, ...state }: SessionState, patch: SettingsPatch): SessionState {
  return {
    ...state,
    ...defined({ home: patch.home === undefined ? home : (patch.home ?? undefined) }),
    settings: patchSettings(state.settings, patch),
    cwd: patch.cwd ?? state.cwd,
    roots: patch.roots ?? state.roots,
    ...defined({ archived: patch.archived }),
  };
}

function hold(state: SessionState, promptIds: readonly string[], held: boolean): SessionState {
  const queue = state.queue.map((entry) =>
    promptIds.includes(entry.prompt.id) ? { ...entry, held } : entry,
  );
  return { ...state, queue };
}

/** Nobody has counted its tokens yet. */
function given(state: SessionState, { messages }: EventNamed<"history.given">): SessionState {
  const counts = { ...state.counts, messages: state.counts.messages + messages.length };
  const said = messages.flatMap((message) => (message.role === "user" ? [promptText(message.parts)] : []));
  const namedHosts = addHosts(state.namedHosts, said.join("\n"));
  return { ...state, counts, namedHosts, contextTokens: 0 };
}

const PREVIEW_CHARACTERS = 160;
/** As much of a prompt is looked at for its first words. */
const PREVIEW_READ = 4096;

/** Of more surfaces than the host has, the library's users make them up. */
const MOST_SENDERS = 16;

function withSender(senders: readonly string[], sender: string): readonly string[] {
  return senders.includes(sender) || senders.length >= MOST_SENDERS ? senders : [...senders, sender];
}

/** A prompt's first words, as text of their own: part of a long text would keep all of it in memory. */
function firstWords(parts: readonly UserPart[]): string {
  const start = promptText(parts).trimStart().slice(0, PREVIEW_READ);
  const words = start.replaceAll(/\s+/g, " ").trim().slice(0, PREVIEW_CHARACTERS);
  return String(JSON.parse(JSON.stringify(words)));
}

function startTurn(state: SessionState, event: EventNamed<"turn.start">, row: Row): SessionState {
  const { endReason: _reason, endedAt: _endedAt, parked: _parked, persona: _before, ...open } = state;
  const { prompt, persona } = event;
  const sensitive = prompt.parts.some((part) => part.type === "resource" && part.sensitive === true);
  return {
    ...open,
    ...(sensitive ? { sensitive } : {}),
    ...defined({ persona }),
    queue: state.queue.filter((entry) => entry.prompt.id !== prompt.id),
    preview: state.preview === "" ? firstWords(prompt.parts) : state.preview,
    counts: { ...state.counts, turns: state.counts.turns + 1, messages: state.counts.messages + 1 },
    namedHosts: withNamedHosts(state.namedHosts, prompt),
    surfaces: withSender(state.surfaces, prompt.from.surface),
    people: withSender(state.people, personName(prompt)),
    questions: [],
    // The prompt tells them.
    untold: [],
    compressFailures: 0,
    turn: {
      turnId: event.turnId,
      prompt,
      from: row.seq - 1,
      fromRow: row.n - 1,
      startedAt: row.at,
      replies: 0,
      said: false,
      calls: [],
      steers: [],
      usage: NO_USAGE,
    },
  };
}

/** A mark is about rows before it; any other is void. */
export function reachesBack(event: EventNamed<"history.undo" | "history.compress">, seq: number): boolean {
  return event.type === "history.undo" ? event.keep < seq : event.from < event.to && event.to < seq;
}

function undo(state: SessionState, event: EventNamed<"history.undo">, row: Row): SessionState {
  if (!reachesBack(event, row.seq)) return state;
  const undone: Range[] = state.undone.filter(({ from }) => from < event.keep);
  return {
    ...state,
    undone: [...undone, { from: event.keep, to: row.seq }],
    // A compression that reaches past the kept cursor is void: the rows it stood for speak for themselves again.
    compressions: state.compressions.filter(({ to }) => to <= event.keep),
    compressFailures: 0,
    contextTokens: 0,
  };
}

function compress(state: SessionState, event: EventNamed<"history.compress">, row: Row): SessionState {
  if (!reachesBack(event, row.seq)) return state;
  const { from, to } = event;
  const others = state.compressions.filter((other) => other.to <= from || other.from >= to);
  return {
    ...state,
    compressions: [...others, { from, to, seq: row.seq }],
    compressFailures: 0,
    contextTokens: 0,
    counts: { ...state.counts, compressions: state.counts.compressions + 1 },
    usage: addUsage(state.usage, event.usage),
  };
}
