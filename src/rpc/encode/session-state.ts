import { type Model, promptText, type Session, type SessionStatus } from "../../core/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { seqAt } from "../gateway/event-numbers.ts";
import type { Result } from "../protocol/methods.ts";
import { encodeStatus } from "./status.ts";
import { seconds } from "./time.ts";
import { encodeSessionUsage } from "./usage.ts";

/** Everything about a session's present, for programs. */
export function encodeSessionState(
  { id, state, cursor }: Session,
  { status, model }: { readonly status: SessionStatus; readonly model: Model | undefined },
): Result<"session.status">["state"] {
  const { turn, lastTurn, queue, todos, background } = state;
  const doing = status.status === "working" ? status.doing : status.status;
  return {
    session_id: id,
    title: state.title,
    ...encodeStatus(status),
    running: turn !== undefined && status.status !== "idle",
    seq: seqAt(cursor),
    ...(turn === undefined
      ? {}
      : { turn: { turn_id: turn.turnId, started_at: seconds(turn.startedAt), doing } }),
    ...(lastTurn === undefined
      ? {}
      : {
          last_turn: {
            turn_id: lastTurn.turnId,
            outcome: lastTurn.outcome,
            ...defined({ error: lastTurn.error?.message, reason: lastTurn.reason }),
          },
        }),
    queue: queue.map(({ prompt, queuedAt, held }) => ({
      prompt_id: prompt.id,
      text: promptText(prompt.parts),
      queued_at: seconds(queuedAt),
      held,
      from: prompt.from.surface,
    })),
    todos: todos.map((todo) => ({ ...todo })),
    background: background.map(({ taskId, text }) => ({ task_id: taskId, text })),
    usage: encodeSessionUsage(state, model),
    model: model?.name ?? "",
    provider: model?.provider ?? "",
    cwd: state.cwd,
    created_at: seconds(state.createdAt),
    last_active: seconds(state.activeAt),
  };
}
