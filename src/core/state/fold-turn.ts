import { defined } from "../../shared/json/defined.ts";
import type { DurableEvent, EventNamed, Row } from "../events/events.ts";
import type { QuestionRequest, QuestionResolved } from "../events/question-events.ts";
import type { CallState, SessionState, TurnState } from "./state.ts";
import { isParkedBy } from "./status.ts";
import { addHosts } from "./named-hosts.ts";
import { addUsage } from "../events/usage.ts";

/** The rows that mean something only while their turn runs. */
export type TurnEvent = Exclude<Extract<DurableEvent, { turnId: string }>, { type: "turn.start" }>;

/** Applies a row of the running turn; a row of any other turn changes nothing. */
export function foldTurn(state: SessionState, event: TurnEvent, row: Row): SessionState {
  const turn = state.turn;
  if (turn === undefined || turn.turnId !== event.turnId) return state;
  const withTurn = (patch: Partial<TurnState>): SessionState => ({ ...state, turn: { ...turn, ...patch } });
  switch (event.type) {
    case "steer.accepted":
      return {
        ...withTurn({ steers: [...turn.steers, { id: event.steerId, text: event.text }] }),
        namedHosts: addHosts(state.namedHosts, event.text),
      };
    case "steer.delivered":
      return withTurn({ steers: turn.steers.filter(({ id }) => !event.steerIds.includes(id)) });
    case "process.told":
      return {
        ...state,
        untold: state.untold.filter(({ processId }) => !event.processIds.includes(processId)),
      };
    case "model.retry":
      return withTurn({ retryUntil: event.until });
    case "reply.complete":
      return reply(state, turn, event);
    case "tool.start":
      return withTurn({
        calls: mark(turn, event.callId, { status: "started", label: event.label, startedAt: row.at }),
      });
    case "tool.complete":
      return completeTool(state, turn, event);
    case "approval.request":
    case "clarify.request":
    case "sudo.request":
    case "secret.request":
      return ask(state, turn, { event, row });
    case "approval.resolved":
    case "clarify.resolved":
    case "sudo.resolved":
    case "secret.resolved":
      return resolve(state, turn, { event, row });
    case "turn.feedback":
      return state;
    case "message.complete":
      return withTurn({ completed: true });
    case "turn.end":
      return endTurn(state, turn, { event, row });
  }
}

function mark(turn: TurnState, callId: string, patch: Partial<CallState>): readonly CallState[] {
  return turn.calls.map((entry) => (entry.call.id === callId ? { ...entry, ...patch } : entry));
}

function reply(state: SessionState, turn: TurnState, event: EventNamed<"reply.complete">): SessionState {
  const { retryUntil: _over, ...running } = turn;
  const counted = event.usage.calls > 0;
  return {
    ...state,
    usage: addUsage(state.usage, event.usage),
    counts: { ...state.counts, messages: state.counts.messages + 1 },
    contextTokens: counted ? event.usage.input + event.usage.output : state.contextTokens,
    turn: {
      ...running,
      replies: turn.replies + 1,
      said: turn.said || event.segments.some(({ kind }) => kind === "text"),
      calls: event.calls.map((call) => ({ call, status: "waiting", answers: [] })),
      usage: addUsage(turn.usage, event.usage),
    },
  };
}

function completeTool(
  state: SessionState,
  turn: TurnState,
  event: EventNamed<"tool.complete">,
): SessionState {
  return {
    ...state,
    todos: event.todos ?? state.todos,
    ...defined({ sensitive: event.sensitive }),
    counts: { ...state.counts, toolCalls: state.counts.toolCalls + 1 },
    turn: { ...turn, calls: mark(turn, event.callId, { status: "done" }) },
  };
}

function ask(
  state: SessionState,
  turn: TurnState,
  { event, row }: { readonly event: QuestionRequest; readonly row: Row },
): SessionState {
  const calls =
    event.type === "approval.request" && event.child === undefined && event.running !== true
      ? mark(turn, event.callId, { permission: "asked" })
      : turn.calls;
  return {
    ...state,
    turn: { ...turn, calls },
    questions: [...state.questions, { request: event, seq: row.seq, askedAt: row.at }],
  };
}

const CLOSED_QUESTIONS = 20;

function resolve(
  state: SessionState,
  turn: TurnState,
  { event, row }: { readonly event: QuestionResolved; readonly row: Row },
): SessionState {
  const { requestId, resolution, callId } = event;
  const closed = {
    ...state,
    questions: state.questions.filter(({ request }) => request.requestId !== requestId),
    closedQuestions: [...state.closedQuestions, { requestId, resolution, at: row.at }].slice(
      -CLOSED_QUESTIONS,
    ),
  };
  const asked = state.questions.find(({ request }) => request.requestId === requestId)?.request;
  // A subagent's question decides about a call of the subagent.
  if (asked?.child !== undefined) return closed;
  if (event.type === "approval.resolved" && !isOfRunning(asked)) {
    const allowed = resolution.outcome === "answered" && resolution.choice !== "deny";
    const patch: Partial<CallState> = allowed
      ? { permission: "allowed" }
      : { permission: "denied", denial: resolution };
    return { ...closed, turn: { ...turn, calls: mark(turn, callId, patch) } };
  }
  const answers = turn.calls.find(({ call }) => call.id === callId)?.answers ?? [];
  const said = resolution.outcome === "answered" ? (resolution.text ?? "") : "";
  return {
    ...closed,
    namedHosts: addHosts(state.namedHosts, said),
    turn: { ...turn, calls: mark(turn, callId, { answers: [...answers, resolution] }) },
  };
}

/** Whether it was asked by a call that runs: its answer goes to the call, and decides about nothing else. */
const isOfRunning = (asked: QuestionRequest | undefined): boolean =>
  asked?.type === "approval.request" && asked.running === true;

function endTurn(
  state: SessionState,
  turn: TurnState,
  { event, row }: { readonly event: EventNamed<"turn.end">; readonly row: Row },
): SessionState {
  const { turn: _ended, ...rest } = state;
  return {
    ...rest,
    ...(event.error !== undefined && isParkedBy(state, event.error)
      ? { parked: { since: row.at, error: event.error } }
      : {}),
    questions: [],
    lastTurn: {
      turnId: turn.turnId,
      outcome: event.outcome,
      from: turn.from,
      to: row.seq,
      ...defined({ error: event.error, reason: event.reason }),
    },
  };
}
