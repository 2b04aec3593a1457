import type { ConnectionState, AskedRequest, Payload, SessionInfo, Skin, UsageWire } from "../gateway.ts";
import { type Detail, type Entry, standsApart, type ToolCard, type TurnStatus } from "./entry.ts";
import { type LiveText, NO_TEXT } from "./live-text.ts";

/** An entry on its way to the screen. */
export interface Finished {
  /** Counts up; no two entries of a client's life have the same. */
  readonly key: number;
  readonly entry: Entry;
  /** A blank line stands before it. */
  readonly apart: boolean;
}

/** The turn that runs. Times are Unix milliseconds. */
interface Turn {
  readonly id: string;
  readonly startedAt: number;
  /** What it does right now, in words. */
  readonly doing: string;
  /** Characters of the answer that have come. */
  readonly said: number;
  readonly interrupting: boolean;
}

/** A question that is open, as it came; the answer may be on its way. */
export interface Question {
  readonly request: AskedRequest;
  /** Unix milliseconds; `undefined` when it waits for ever. */
  readonly until: number | undefined;
  readonly answering: boolean;
}

/** A prompt that waits in the queue. */
export interface Queued {
  readonly id: string;
  readonly text: string;
  readonly held: boolean;
}

/** A command that the person runs with `!`. */
export interface RunningShell {
  readonly id: string;
  readonly command: string;
  /** The end of its output. */
  readonly output: string;
  readonly startedAt: number;
}

/** A slash command that the gateway carries out for this client, and that takes long. */
export interface RunningCommand {
  readonly id: string;
  readonly command: string;
  readonly startedAt: number;
}

/** A subagent as it is shown. */
export interface SubagentView {
  readonly id: string;
  readonly parent: string | undefined;
  readonly goal: string;
  readonly doing: string;
  readonly tools: number;
}

/** One item of the todo list. */
export type TodoItem = Payload<"todo.updated">["todos"][number];

interface ShownSession {
  readonly id: string;
  readonly info: SessionInfo;
  readonly usage: UsageWire;
  /** There is a conversation in it. */
  readonly talked: boolean;
}

/** The shown part of what the gateway has told. Printed entries are not in it. */
export interface ViewState {
  readonly connection: ConnectionState;
  readonly version: string;
  readonly skin: Skin | undefined;
  readonly session: ShownSession | undefined;
  readonly finished: readonly Finished[];
  readonly lastKey: number;
  readonly lastKind: Entry["kind"] | undefined;
  /** The first key of what is shown of the session. */
  readonly firstKey: number;
  /** The keys of its prompts, oldest first. */
  readonly prompts: readonly number[];
  readonly turn: Turn | undefined;
  /** How the last turn that was seen here ended. */
  readonly lastTurn: { readonly outcome: TurnStatus; readonly died?: boolean } | undefined;
  /** The newest answer, also one from before this client came. */
  readonly lastAnswer: string;
  readonly answer: LiveText;
  readonly thinking: { readonly text: string; readonly since: number } | undefined;
  readonly tools: readonly ToolCard[];
  readonly questions: readonly Question[];
  /** What was sent and is not confirmed yet. */
  readonly sending: readonly string[];
  readonly queue: readonly Queued[];
  readonly steers: readonly { readonly id: string; readonly text: string }[];
  readonly todos: readonly TodoItem[];
  /** Turns that have ended since the steps were changed. */
  readonly todosIdle: number;
  /** Prompts that run beside the session. */
  readonly background: readonly { readonly id: string; readonly text: string }[];
  /** Commands that run in the background. */
  readonly processes: readonly { readonly id: string; readonly command: string }[];
  readonly subagents: readonly SubagentView[];
  /** Commands of the person's own that run. */
  readonly shells: readonly RunningShell[];
  /** Slash commands of the person's own that take long. */
  readonly commands: readonly RunningCommand[];
  /** What was printed in few lines last. */
  readonly details: readonly Detail[];
  /** A passing state in words: a retry, a compression. */
  readonly status: string;
}

export const EMPTY_VIEW: ViewState = {
  connection: { status: "connecting" },
  version: "",
  skin: undefined,
  session: undefined,
  finished: [],
  lastKey: 0,
  lastKind: undefined,
  firstKey: 1,
  prompts: [],
  turn: undefined,
  lastTurn: undefined,
  lastAnswer: "",
  answer: NO_TEXT,
  thinking: undefined,
  tools: [],
  questions: [],
  sending: [],
  queue: [],
  steers: [],
  todos: [],
  todosIdle: 0,
  background: [],
  processes: [],
  shells: [],
  commands: [],
  subagents: [],
  details: [],
  status: "",
};

/** Adds entries behind those that wait to be printed. */
export function print(view: ViewState, ...entries: readonly Entry[]): ViewState {
  let { lastKey, lastKind } = view;
  const finished = [...view.finished];
  const prompts = [...view.prompts];
  for (const entry of entries) {
    lastKey += 1;
    finished.push({ key: lastKey, entry, apart: standsApart(lastKind, entry) });
    if (entry.kind === "user") prompts.push(lastKey);
    lastKind = entry.kind;
  }
  return { ...view, finished, lastKey, lastKind, prompts };
}
