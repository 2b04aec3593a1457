import {
  answerQuestion,
  type AnswerCommand,
  findQuestion,
  type SecretOpener,
  resolutionRow,
  resolutionRows,
} from "../questions/answer-question.ts";
import { turnEndRows, turnStartRows } from "../turn/turn-rows.ts";
import { cancelQuestions } from "../questions/cancel-questions.ts";
import { promptText } from "../events/content.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { DurableEvent } from "../events/events.ts";
import type { SettingsPatch } from "../events/settings-patch.ts";
import type { Origin, Prompt } from "../events/prompt.ts";
import type { Resolution } from "../events/question-events.ts";
import type { Transaction, LogView } from "../log/append-plan.ts";
import { nextPrompt } from "../state/queue.ts";
import type { SubagentEvent } from "../events/subagent-events.ts";
import type { SessionState } from "../state/state.ts";

/** What a second prompt does while a turn runs. */
export type BusyMode = "queue" | "steer" | "interrupt" | "refuse";

/** What became of a prompt. `after`: the cursor before anything of it. */
export interface Accepted {
  readonly status: "started" | "queued" | "steered";
  readonly after: number;
  readonly turnId?: string;
  /** Prompts before this one. */
  readonly position: number;
}

/** What an interruption did. */
export interface Interrupted {
  readonly interrupted: boolean;
  /** The turn that was stopped. */
  readonly turnId?: string;
  /** Texts of queued prompts that were taken back. */
  readonly dropped: readonly string[];
}

type HistoryCompress = Extract<DurableEvent, { type: "history.compress" | "history.compress_failed" }>;
type BackgroundEvent = Extract<DurableEvent, { type: "background.start" | "background.complete" }>;

interface Submitted {
  readonly prompt: Prompt;
  readonly mode: BusyMode;
  readonly turnId: string;
  readonly steerId: string;
  /** The turn that must be the newest, and still count. */
  readonly onlyAfter?: string;
  /** The first rows of a session that is not there yet. */
  readonly firstEvents?: readonly DurableEvent[];
}

/** What may be asked of a session; inputs and values are JSON, so that another process can ask too. */
export interface OperationTypes {
  submit: { input: Submitted; value: Accepted };
  steer: { input: { steerId: string; text: string; from: Origin }; value: { accepted: boolean } };
  /** `turnId` is for the queued prompt that runs next, where nobody else starts it. */
  interrupt: {
    input: { from: Origin; keepQueue: boolean; promptId?: string; turnId: string };
    value: Interrupted;
  };
  answer: { input: AnswerCommand; value: Resolution };
  expire: { input: { requestId: string }; value: { expired: boolean } };
  drop: { input: { promptIds: readonly string[] }; value: { dropped: readonly string[] } };
  confirm: { input: { promptIds: readonly string[]; turnId: string }; value: { started: boolean } };
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
    input: OperationInput<K>,
    opener: SecretOpener,
  ) => Transaction<OperationValue<K>>;
};

/** Each operation as a decision on the newest state. What must happen besides is up to `Session`. */
export const OPERATIONS: OperationTable = {
  submit: (input) => (view) => submit(view, input),
  steer: (input) => (view) => steer(view, input),
  interrupt: (input) => (view) => interrupt(view, input),
  answer: (input, opener) => (view) => answerQuestion(view, input, opener),

  expire:
    ({ requestId }) =>
    ({ state }) => {
      const question = findQuestion(state, requestId);
      if (question === undefined) return { events: [], value: { expired: false } };
      return {
        events: [resolutionRow(question, { outcome: "expired" })],
        value: { expired: true },
        lease: "take",
      };
    },

  drop:
    ({ promptIds }) =>
    ({ state }) => {
      const mine = state.queue.filter(({ prompt }) => promptIds.includes(prompt.id));
      const event = {
        type: "prompt.dropped",
        promptIds: mine.map(({ prompt }) => prompt.id),
        reason: "taken back",
      } as const;
      return {
        events: mine.length === 0 ? [] : [event],
        value: { dropped: mine.map(({ prompt }) => promptText(prompt.parts)) },
      };
    },

  confirm:
    ({ promptIds, turnId }) =>
    ({ state }) => {
      const held = state.queue.filter(({ prompt, held: waits }) => waits && promptIds.includes(prompt.id));
      if (held.length === 0) return { events: [], value: { started: false } };
      const confirmed: DurableEvent = {
        type: "prompt.confirmed",
        promptIds: held.map(({ prompt }) => prompt.id),
      };
      const prompt = state.turn === undefined ? (nextPrompt(state) ?? held[0]?.prompt) : undefined;
      if (prompt === undefined) return { events: [confirmed], value: { started: false } };
      return {
        events: [confirmed, ...turnStartRows(turnId, prompt)],
        value: { started: true },
        lease: "take",
      };
    },

  title:
    ({ title }) =>
    () => ({ events: [{ type: "title.set", title, by: "user" }], value: { title } }),
  settings:
    ({ patch }) =>
    () => ({ events: [{ type: "settings.set", patch }], value: patch }),

  undo:
    ({ keep, turns, head }) =>
    ({ state }) => {
      if (state.turn !== undefined) throw busy(state, "undo");
      if (state.seq !== head) return { events: [], value: { undone: false } };
      return { events: [{ type: "history.undo", keep, turns }], value: { undone: true } };
    },

  compressed:
    ({ event }) =>
    ({ state }) => {
      const past = (cursor: number): boolean =>
        state.undone.some(({ from, to }) => cursor > from && cursor <= to);
      // What it stands for was undone while the model wrote it.
      const isVoid = event.type === "history.compress" && (event.to > state.seq || past(event.to));
      return { events: isVoid ? [] : [event], value: { applied: !isVoid } };
    },

  background:
    ({ event }) =>
    () => ({ events: [event], value: null }),

  subagent:
    ({ event }) =>
    ({ state }) => {
      const isOver =
        event.type === "subagent.complete" &&
        !state.subagents.some(({ subagentId }) => subagentId === event.subagentId);
      return { events: isOver ? [] : [event], value: { noted: !isOver } };
    },

  settle:
    ({ requestId, resolution }) =>
    ({ state }) => {
      const question = findQuestion(state, requestId);
      if (question === undefined) return { events: [], value: { settled: false } };
      return { events: resolutionRows(question, resolution), value: { settled: true } };
    },

  end:
    ({ reason }) =>
    ({ state }) => {
      if (state.endReason !== undefined) return { events: [], value: { ended: false } };
      return { events: [{ type: "session.end", reason }], value: { ended: true } };
    },

  seen:
    ({ requestId }) =>
    ({ state }) => ({ events: [], value: { open: findQuestion(state, requestId) !== undefined } }),
};

function submit(
  { state }: LogView,
  { prompt, mode, turnId, steerId, onlyAfter, firstEvents = [] }: OperationInput<"submit">,
): ReturnType<Transaction<Accepted>> {
  if (onlyAfter !== undefined) checkNewest(state, onlyAfter);
  const after = state.seq;
  const waiting = state.queue.filter(({ held }) => !held).length;
  if (state.turn === undefined) {
    const first = nextPrompt(state);
    if (first === undefined) {
      const value = { status: "started", after, turnId, position: 0 } as const;
      return { events: [...firstEvents, ...turnStartRows(turnId, prompt)], value, lease: "take" };
    }
    // Prompts that nobody drove so far go first.
    const events: DurableEvent[] = [{ type: "prompt.queued", prompt }, ...turnStartRows(turnId, first)];
    return { events, value: { status: "queued", after, position: waiting }, lease: "take" };
  }
  switch (mode) {
    case "refuse":
      throw busy(state, "take a prompt");
    case "steer": {
      const { turnId: running } = state.turn;
      const event = steerEvent(running, { steerId, text: promptText(prompt.parts), from: prompt.from });
      return { events: [event], value: { status: "steered", after, turnId: running, position: 0 } };
    }
    case "queue":
    case "interrupt":
      return {
        events: [{ type: "prompt.queued", prompt }],
        value: { status: "queued", after, position: waiting + 1 },
      };
  }
}

/** @throws HostError `session_busy` when the conversation has gone on, or back, since that turn */
function checkNewest(state: SessionState, turnId: string): void {
  const { turn, lastTurn, queue, undone } = state;
  const counts =
    lastTurn !== undefined && !undone.some(({ from, to }) => lastTurn.to > from && lastTurn.to <= to);
  if (turn === undefined && queue.length === 0 && counts && lastTurn.turnId === turnId) return;
  throw new HostError(
    "session_busy",
    `The conversation has gone on since turn ${turnId}; branch it there instead.`,
    {
      details: { subject: turnId },
    },
  );
}

function steer(
  { state }: LogView,
  input: OperationInput<"steer">,
): ReturnType<Transaction<{ accepted: boolean }>> {
  const { turn } = state;
  if (turn === undefined) return { events: [], value: { accepted: false } };
  return { events: [steerEvent(turn.turnId, input)], value: { accepted: true } };
}

const steerEvent = (turnId: string, { steerId, text, from }: OperationInput<"steer">): DurableEvent => ({
  type: "steer.accepted",
  turnId,
  steerId,
  text,
  from,
});

function interrupt(view: LogView, input: OperationInput<"interrupt">): ReturnType<Transaction<Interrupted>> {
  const { state } = view;
  const { from, keepQueue, promptId, turnId } = input;
  const mine = keepQueue ? [] : state.queue.filter(({ prompt }) => sameClient(prompt.from, from));
  const dropped = mine.map(({ prompt }) => promptText(prompt.parts));
  const drop: readonly DurableEvent[] =
    mine.length === 0
      ? []
      : [{ type: "prompt.dropped", promptIds: mine.map(({ prompt }) => prompt.id), reason: "interrupted" }];
  const { turn } = state;
  if (turn === undefined || (promptId !== undefined && turn.prompt.id !== promptId)) {
    return { events: drop, value: { interrupted: false, dropped } };
  }
  const value = { interrupted: true, turnId: turn.turnId, dropped };
  if (!view.holdsLease) {
    // A parked turn has no driver to stop: it ends here, and what was queued behind it begins.
    const ended = [...drop, ...turnEndRows(view, { outcome: "cancelled" })];
    const prompt = nextPrompt({ queue: state.queue.filter((entry) => !mine.includes(entry)) });
    if (prompt === undefined) return { events: ended, value };
    return { events: [...ended, ...turnStartRows(turnId, prompt)], value, lease: "take" };
  }
  return { events: [...drop, ...cancelQuestions(state, "the turn was interrupted")], value };
}

const sameClient = (a: Origin, b: Origin): boolean => a.surface === b.surface && a.client === b.client;

const busy = ({ turn }: SessionState, what: string): HostError =>
  new HostError(
    "session_busy",
    `session busy: cannot ${what} while turn ${turn?.turnId ?? ""} runs. Interrupt it first, or wait.`,
    {
      details: { subject: turn?.turnId ?? "" },
    },
  );
