import type { DurableEvent } from "../events/events.ts";
import type { Resolution } from "../events/question-events.ts";
import type { SettingsPatch } from "../events/settings-patch.ts";
import type { SubagentEvent } from "../events/subagent-events.ts";
import type { Decision, LogView } from "../log/append-plan.ts";
import {
  type AnswerCommand,
  answerQuestion,
  findQuestion,
  resolutionRow,
  resolutionRows,
  type SecretOpener,
} from "../questions/answer-question.ts";
import {
  busy,
  confirm,
  drop,
  interrupt,
  type PromptOperationTypes,
  steer,
  submit,
} from "./prompt-operations.ts";

type HistoryCompress = Extract<DurableEvent, { type: "history.compress" | "history.compress_failed" }>;
type BackgroundEvent = Extract<DurableEvent, { type: "background.start" | "background.complete" }>;

/** The operations of a session; inputs and values are JSON, so that another process can ask for them too. */
interface OperationTypes extends PromptOperationTypes {
  answer: { input: AnswerCommand; value: Resolution };
  expire: { input: { requestId: string }; value: { expired: boolean } };
  title: { input: { title: string }; value: { title: string } };
  settings: { input: { patch: SettingsPatch }; value: SettingsPatch };
  undo: { input: { keep: number; turns: number; head: number }; value: { undone: boolean } };
  compressed: { input: { event: HistoryCompress }; value: { applied: boolean } };
  background: { input: { event: BackgroundEvent }; value: null };
  subagent: { input: { event: SubagentEvent }; value: { noted: boolean } };
  /** Ends a question as its copy ended: the parent's, or the subagent's. */
  settle: { input: { requestId: string; resolution: Resolution }; value: { settled: boolean } };
  end: { input: { reason: string }; value: { ended: boolean } };
  seen: { input: { requestId: string }; value: { open: boolean } };
}

/** The name of an operation, as it travels in a command. */
export type OperationName = keyof OperationTypes;
/** The JSON that an operation is given. */
export type OperationInput<K extends OperationName> = OperationTypes[K]["input"];
/** The JSON that an operation gives back. */
export type OperationValue<K extends OperationName> = OperationTypes[K]["value"];

type OperationTable = {
  readonly [K in OperationName]: (
    view: LogView,
    input: OperationInput<K>,
    opener: SecretOpener,
  ) => Decision<OperationValue<K>>;
};

/** Each operation as a decision on the newest state. All other effects of it are up to `SessionActor`. */
export const OPERATIONS: OperationTable = {
  submit,
  steer,
  interrupt,
  drop,
  confirm,
  answer: answerQuestion,
  background: (_view, { event }) => ({ events: [event], value: null }),
  settings: (_view, { patch }) => ({ events: [{ type: "settings.set", patch }], value: patch }),
  title: (_view, { title }) => ({ events: [{ type: "title.set", title, by: "user" }], value: { title } }),

  expire({ state }, { requestId }) {
    const question = findQuestion(state, requestId);
    if (question === undefined) return { events: [], value: { expired: false } };
    const events = [resolutionRow(question, { outcome: "expired" })];
    return { events, value: { expired: true }, lease: "take" };
  },

  settle({ state }, { requestId, resolution }) {
    const question = findQuestion(state, requestId);
    if (question === undefined) return { events: [], value: { settled: false } };
    return { events: resolutionRows(question, resolution), value: { settled: true } };
  },

  seen: ({ state }, { requestId }) => ({
    events: [],
    value: { open: findQuestion(state, requestId) !== undefined },
  }),

  undo({ state }, { keep, turns, head }) {
    if (state.turn !== undefined) throw busy(state, "undo");
    if (state.seq !== head) return { events: [], value: { undone: false } };
    return { events: [{ type: "history.undo", keep, turns }], value: { undone: true } };
  },

  compressed({ state }, { event }) {
    const isUndone = (cursor: number): boolean =>
      state.undone.some(({ from, to }) => cursor > from && cursor <= to);
    // The rows that it stands for were undone while the model wrote it.
    const isVoid = event.type === "history.compress" && (event.to > state.seq || isUndone(event.to));
    return { events: isVoid ? [] : [event], value: { applied: !isVoid } };
  },

  subagent({ state }, { event }) {
    const isOver =
      event.type === "subagent.complete" &&
      !state.subagents.some(({ subagentId }) => subagentId === event.subagentId);
    return { events: isOver ? [] : [event], value: { noted: !isOver } };
  },

  end({ state }, { reason }) {
    if (state.endReason !== undefined) return { events: [], value: { ended: false } };
    return { events: [{ type: "session.end", reason }], value: { ended: true } };
  },
};
