import { defined } from "../../shared/json/defined.ts";
import type { Prompt } from "../events/prompt.ts";
import { textPart } from "../events/content.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { DurableEvent, TurnOutcome } from "../events/events.ts";
import { cancelQuestions } from "../questions/resolution-rows.ts";
import type { LogView } from "../log/append-plan.ts";
import type { CallState, SessionState, TurnState } from "../state/state.ts";
import type { PendingReply } from "./turn-context.ts";
import { addUsage, NO_USAGE } from "../events/usage.ts";

/** Makes the rows that begin a prompt's turn: the history that came with it, if any, then the prompt itself. */
export function turnStartRows(turnId: string, { before, ...prompt }: Prompt): readonly DurableEvent[] {
  const start: DurableEvent = { type: "turn.start", turnId, prompt };
  return before === undefined || before.length === 0
    ? [start]
    : [{ type: "history.given", messages: before }, start];
}

/** The end of a turn: its outcome, and what goes with it. */
export interface TurnEnding {
  readonly outcome: TurnOutcome;
  readonly error?: ErrorRecord;
  /** Why it was cut short, in a sentence for people. */
  readonly reason?: string;
  /** The surface where somebody stopped it. */
  readonly stoppedBy?: string;
  /** The process that ran it is gone, and this is another one. */
  readonly lost?: true;
  /** The last reply, when there is one that the log does not have yet. */
  readonly reply?: PendingReply;
}

/**
 * Makes all rows that end the running turn, whatever state it is in: the text that was shown is kept, every open
 * question and call is settled, `turn.end` is last. No rows when no turn runs.
 */
export function turnEndRows({ state, segments }: LogView, ending: TurnEnding): readonly DurableEvent[] {
  const { turn } = state;
  if (turn === undefined) return [];
  const { turnId, from } = turn;
  const { outcome, error, reply, reason, stoppedBy } = ending;
  const usage = reply === undefined ? turn.usage : addUsage(turn.usage, reply.usage);
  // That somebody stopped it is no news to who follows it.
  const failure = defined({ error, reason: outcome === "interrupted" ? reason : undefined, stoppedBy });
  const cut = reply?.finish === "length" || reply?.finish === "refusal" ? { finish: reply.finish } : {};
  const undelivered = turn.steers.map(({ text }) => text);
  return [
    ...lastReply(turnId, segments(), ending),
    ...cancelQuestions(state, "the turn ended"),
    ...turn.calls.flatMap((call) => settledCall(state, turn, { call, outcome })),
    ...(turn.completed === true
      ? []
      : [
          {
            type: "message.complete",
            turnId,
            from,
            status: STATUS[outcome],
            usage,
            ...cut,
            ...failure,
          } as const,
        ]),
    {
      type: "turn.end",
      turnId,
      outcome,
      usage,
      ...defined({ error, reason, finish: reply?.finish }),
      ...(undelivered.length === 0 ? {} : { undelivered }),
      ...(ending.lost === true ? { lostAfter: state.seq } : {}),
    },
  ];
}

const STATUS = {
  completed: "complete",
  cancelled: "interrupted",
  interrupted: "interrupted",
  failed: "error",
} as const;

function lastReply(
  turnId: string,
  segments: ReturnType<LogView["segments"]>,
  { outcome, reply }: TurnEnding,
): readonly DurableEvent[] {
  if (reply !== undefined) return [{ ...reply, segments }];
  if (segments.length === 0) return [];
  const finish = outcome === "failed" ? "error" : "interrupted";
  return [
    { type: "reply.complete", turnId, segments, calls: [], finish, usage: NO_USAGE, provider: "", model: "" },
  ];
}

/** Gives a call that began its result. For a call that did not begin, the conversation makes one up when it needs it. */
function settledCall(
  { subagents }: SessionState,
  { turnId }: TurnState,
  {
    call: { call, status, label, permission },
    outcome,
  }: { readonly call: CallState; readonly outcome: TurnOutcome },
): readonly DurableEvent[] {
  if (status !== "started") return [];
  const stopped = subagents.filter(({ callId }) => callId === call.id).map(stoppedText);
  const ran = permission !== "asked" && permission !== "denied";
  const unknown = ran && outcome === "interrupted";
  return [
    {
      type: "tool.complete",
      turnId,
      callId: call.id,
      name: call.name,
      label: label ?? call.name,
      outcome: unknown ? "unknown" : "cancelled",
      content: [
        textPart(
          ran ? STOPPED[unknown ? "unknown" : "cancelled"] : "Not run: the turn ended before it was allowed.",
        ),
        ...stopped,
      ],
      durationMs: 0,
    },
  ];
}

const stoppedText = ({ goal, childId }: SessionState["subagents"][number]) =>
  textPart(
    `A subagent was stopped before it was done: ${goal}. What it did until then is in session ${childId}.`,
  );

const STOPPED = {
  unknown: "Interrupted: the outcome of this call is unknown. Check before you repeat it.",
  cancelled: "Cancelled: the turn was stopped while this ran. It may have done part of its work.",
};
