import type { EventNamed, SettingsPatch } from "../events/events.ts";
import type { EndedProcess, StartedProcess } from "../events/process-events.ts";
import type { Resolution } from "../events/question-events.ts";
import type { SubagentEvent } from "../events/subagent-events.ts";
import type { Decision, LogView } from "../log/append-plan.ts";
import { answerQuestion, findQuestion, type AnswerPorts } from "../questions/answer-question.ts";
import { resolutionRow, resolutionRows } from "../questions/resolution-rows.ts";
import { coversSeq } from "../state/state.ts";
import { confirm, drop, interrupt, steer, submit } from "./prompt-operations.ts";
import { rewind } from "./rewind-operation.ts";

/**
 * The operations of a session, each as a decision on the newest state. Inputs and values are JSON, so that another
 * process can ask for them too. All other effects of an operation are up to `SessionActor`.
 */
const TABLE = {
  submit,
  steer,
  interrupt,
  drop,
  confirm,
  answer: answerQuestion,

  title: (_view: LogView, { title }: { title: string }): Decision<{ title: string }> => ({
    events: [{ type: "title.set", title, by: "user" }],
    value: { title },
  }),

  user: ({ state }: LogView, { user }: { user: string }): Decision<{ user: string }> => ({
    events: state.user === undefined ? [{ type: "user.set", user }] : [],
    value: { user: state.user ?? user },
  }),

  settings: (_view: LogView, { patch }: { patch: SettingsPatch }): Decision<SettingsPatch> => ({
    events: [{ type: "settings.set", patch }],
    value: patch,
  }),

  background: (
    _view: LogView,
    { event }: { event: EventNamed<"background.start" | "background.complete"> },
  ): Decision<null> => ({ events: [event], value: null }),

  processBegan: (_view: LogView, start: StartedProcess): Decision<null> => ({
    events: [{ type: "process.start", ...start }],
    value: null,
  }),

  /** The first end that is noted of a command counts. */
  processOver: ({ state }: LogView, end: EndedProcess): Decision<null> => ({
    events: state.processes.some(({ processId }) => processId === end.processId)
      ? [{ type: "process.complete", ...end }]
      : [],
    value: null,
  }),

  feedback: (_view: LogView, input: Omit<EventNamed<"turn.feedback">, "type">): Decision<null> => ({
    events: [{ type: "turn.feedback", ...input }],
    value: null,
  }),

  clearTodos({ state }: LogView, _input: Record<string, never>): Decision<{ cleared: number }> {
    const cleared = state.todos.length;
    return { events: cleared === 0 ? [] : [{ type: "todos.cleared" }], value: { cleared } };
  },

  revoke(
    { state }: LogView,
    { patterns }: { patterns: readonly string[] },
  ): Decision<{ revoked: readonly string[] }> {
    const revoked = state.allowed.filter((each) => patterns.includes(each));
    const event = { type: "approval.pattern", patterns: revoked, revoked: true } as const;
    return { events: revoked.length === 0 ? [] : [event], value: { revoked } };
  },

  seen: ({ state }: LogView, { requestId }: { requestId: string }): Decision<{ open: boolean }> => ({
    events: [],
    value: { open: findQuestion(state, requestId) !== undefined },
  }),

  expire({ state }: LogView, { requestId }: { requestId: string }): Decision<{ expired: boolean }> {
    const question = findQuestion(state, requestId);
    if (question === undefined) return { events: [], value: { expired: false } };
    const events = [resolutionRow(question, { outcome: "expired" })];
    return { events, value: { expired: true }, lease: "take" };
  },

  /** Ends a question as its copy ended: the parent's, or the subagent's. */
  settle(
    { state }: LogView,
    { requestId, resolution }: { requestId: string; resolution: Resolution },
  ): Decision<{ settled: boolean }> {
    const question = findQuestion(state, requestId);
    if (question === undefined) return { events: [], value: { settled: false } };
    return { events: resolutionRows(question, resolution), value: { settled: true } };
  },

  rewind,

  compressed(
    { state }: LogView,
    { event }: { event: EventNamed<"history.compress" | "history.compress_failed"> },
  ): Decision<{ applied: boolean }> {
    // The rows that it stands for were undone while the model wrote it.
    const isVoid =
      event.type === "history.compress" && (event.to > state.seq || coversSeq(state.undone, event.to));
    return { events: isVoid ? [] : [event], value: { applied: !isVoid } };
  },

  subagent({ state }: LogView, { event }: { event: SubagentEvent }): Decision<{ noted: boolean }> {
    const isOver =
      event.type === "subagent.complete" &&
      !state.subagents.some(({ subagentId }) => subagentId === event.subagentId);
    return { events: isOver ? [] : [event], value: { noted: !isOver } };
  },

  end({ state }: LogView, { reason }: { reason: string }): Decision<{ ended: boolean }> {
    if (state.endReason !== undefined) return { events: [], value: { ended: false } };
    return { events: [{ type: "session.end", reason }], value: { ended: true } };
  },
};

/** The operations that note what happened beside the turns. */
export type NoteName = "processBegan" | "processOver" | "clearTodos" | "revoke" | "feedback";

/** The name of an operation, as it travels in a command. */
export type OperationName = keyof typeof TABLE;
/** The JSON that an operation is given. */
export type OperationInput<K extends OperationName> = Parameters<(typeof TABLE)[K]>[1];
/** The JSON that an operation results in. */
export type OperationValue<K extends OperationName> = ReturnType<(typeof TABLE)[K]>["value"];

/** The parts of this host that operations are decided with. */
export interface DecisionPorts extends AnswerPorts {
  /** Asks for room for a turn that would begin: where there is none, its prompt waits in the queue. */
  readonly mustWait: () => boolean;
}

/** The operations by name. */
export const OPERATIONS: {
  readonly [K in OperationName]: (
    view: LogView,
    input: OperationInput<K>,
    ports: DecisionPorts,
  ) => Decision<OperationValue<K>>;
} = TABLE;
