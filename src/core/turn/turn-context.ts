import type { Conversation } from "../conversation/conversation.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { DeltaEvent, DurableEvent, EventNamed, LiveEvent } from "../events/events.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { SessionLog } from "../log/session-log.ts";
import type { TurnQuestions } from "../questions/turn-questions.ts";
import type { Services } from "../ports/services.ts";
import type { TurnState } from "../state/state.ts";
import type { RequestPreamble } from "./request-preamble.ts";
import type { SubagentPort } from "./subagent-port.ts";
import type { TurnModel } from "./turn-model.ts";

/** The context of a turn: what it works with. */
export interface TurnContext {
  readonly turnId: string;
  /** Aborts when the turn must stop, for whatever reason. */
  readonly signal: AbortSignal;
  readonly services: Services;
  readonly log: SessionLog;
  readonly writer: LogWriter;
  readonly questions: TurnQuestions;
  readonly subagents: SubagentPort;
  readonly model: TurnModel;
  readonly preamble: RequestPreamble;
  /** The session's conversation, up to date with its log. */
  conversation(): Promise<Conversation>;
  /**
   * Shows text of the reply, or an event that is in no log; nothing once the turn is over. Returns what to wait for before
   * the next one, while too much text is not saved yet.
   */
  show(event: DeltaEvent | LiveEvent): Promise<void> | undefined;
}

/** A finished reply, without the text that it streamed: the driver adds that. */
export type PendingReply = Omit<EventNamed<"reply.complete">, "segments">;

/** A row on its way to the driver, which completes and appends it. */
export type PendingEvent = Exclude<DurableEvent, { type: "reply.complete" }> | PendingReply;

/** A step of a turn: a batch of rows that are committed together. */
export type TurnStep = readonly PendingEvent[];

/**
 * The running turn as the log has it.
 *
 * @throws HostError `lease_lost` when the turn has ended meanwhile
 */
export function turnState({ writer, turnId }: Pick<TurnContext, "writer" | "turnId">): TurnState {
  const { turn } = writer.plannedState;
  if (turn?.turnId !== turnId) throw new HostError("lease_lost", `Turn ${turnId} is over.`);
  return turn;
}

/** The calls of the newest reply that have no result yet. */
export const unfinishedCalls = (turn: TurnState): TurnState["calls"] =>
  turn.calls.filter(({ status }) => status !== "done");
