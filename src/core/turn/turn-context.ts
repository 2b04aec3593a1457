import type { Attachments } from "../ports/attachment.ts";
import type { Conversation } from "../conversation/conversation.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { DeltaEvent, DurableEvent, LiveEvent } from "../events/events.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { SessionLog } from "../log/session-log.ts";
import type { Model } from "../ports/model.ts";
import type { TurnQuestions } from "../questions/turn-questions.ts";
import type { Services } from "../ports/services.ts";
import type { TurnState } from "../state/state.ts";
import type { SubagentPort } from "./subagent-port.ts";
import type { AnyTool } from "../ports/tool.ts";

/** What a turn works with. */
export interface TurnContext {
  readonly turnId: string;
  /** Aborts when the turn must stop, for whatever reason. */
  readonly signal: AbortSignal;
  readonly services: Services;
  readonly log: SessionLog;
  readonly writer: LogWriter;
  readonly questions: TurnQuestions;
  readonly attachments: Attachments;
  readonly subagents: SubagentPort;
  /** The model for the next call; a switch takes effect there. */
  model(): Model;
  /** Goes on with a model that stands in for the one that failed; `undefined` when there is none, or none would help. */
  fallBackModel(error: HostError): Model | undefined;
  tools(): ReadonlyMap<string, AnyTool>;
  /** The names of the toolsets that the tools are from. */
  toolsets(): readonly string[];
  system(): Promise<string>;
  /** The session's conversation, up to date with its log. */
  conversation(): Promise<Conversation>;
}

/** A finished reply, without the text that it streamed: the driver knows that. */
export type PendingReply = Omit<Extract<DurableEvent, { type: "reply.complete" }>, "segments">;

export type PendingEvent = Exclude<DurableEvent, { type: "reply.complete" }> | PendingReply;

/** What a turn gives its driver: text and passing news one by one, rows in batches that are committed together. */
export type TurnStep = DeltaEvent | LiveEvent | readonly PendingEvent[];

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
