import { defined } from "../../shared/json/defined.ts";
import type { Row } from "../events/events.ts";
import type { SubagentEvent } from "../events/subagent-events.ts";
import { addUsage } from "../events/usage.ts";
import type { SessionState } from "./state.ts";

/** Counts a session that was made to work for this one. */
export const withChild = (state: SessionState): SessionState => ({
  ...state,
  counts: { ...state.counts, children: state.counts.children + 1 },
});

/** Keeps account of the subagents of a session: which ones run, and what they used. */
export function foldSubagent(state: SessionState, event: SubagentEvent, row: Row): SessionState {
  const others = state.subagents.filter(({ subagentId }) => subagentId !== event.subagentId);
  if (event.type === "subagent.start") {
    const { type: _type, toolsets: _toolsets, ...running } = event;
    return withChild({ ...state, subagents: [...others, { ...running, startedAt: row.at }] });
  }
  const known = defined({ sensitive: event.sensitive ?? state.sensitive });
  // The usage of a subagent includes that of its own subagents.
  if (event.depth !== state.depth + 1) return { ...state, ...known, subagents: others };
  const { turn } = state;
  const isOfTurn = turn?.calls.some(({ call, status }) => call.id === event.callId && status !== "done");
  return {
    ...state,
    ...known,
    subagents: others,
    usage: addUsage(state.usage, event.usage),
    ...(turn !== undefined && isOfTurn === true
      ? { turn: { ...turn, usage: addUsage(turn.usage, event.usage) } }
      : {}),
  };
}
