import type {
  FinishReason,
  HandedFile,
  QuestionRequest,
  QuestionResolved,
  Session,
  TurnOutcome,
} from "../../core/index.ts";
import { isQuestion } from "../../core/index.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";

/** The view of a turn: what it is told while the turn runs. */
export interface TurnView {
  started(turnId: string): void;
  /** All that was said so far. */
  text(all: string): void;
  /** A call handed files over. */
  files(callId: string, files: readonly HandedFile[]): void;
  question(request: QuestionRequest): void;
  resolved(event: QuestionResolved): void;
}

/** The end of the turn of a prompt. `dropped`: somebody took the prompt back; `missing`: the log has no such prompt. */
export type FollowedEnd = EndedTurn | { readonly outcome: "dropped" | "missing" };

/** The end of a turn, and what was said in it. */
export interface EndedTurn {
  readonly outcome: TurnOutcome;
  readonly turnId: string;
  readonly text: string;
  readonly finish?: FinishReason;
  readonly error?: ErrorRecord;
  readonly reason?: string;
  /** A tool was started: doing it again might do it twice. */
  readonly acted: boolean;
}

/** The prompt whose turn is followed, and from where. */
export interface FollowOptions {
  readonly promptId: string;
  /** The session's cursor before the prompt. */
  readonly after: number;
  readonly signal: AbortSignal;
}

/** Follows the turn of a prompt to its end, in whichever process it runs, from the log alone. */
export async function followPrompt(
  session: Session,
  { promptId, after, signal }: FollowOptions,
  view: TurnView,
): Promise<FollowedEnd> {
  let turnId: string | undefined;
  let text = "";
  let isBehindPause = false;
  let acted = false;
  for await (const event of session.events({ after, signal })) {
    if (event.type === "turn.start" && event.prompt.id === promptId) {
      turnId = event.turnId;
      view.started(turnId);
    }
    if (event.type === "prompt.dropped" && event.promptIds.includes(promptId)) return { outcome: "dropped" };
    if (turnId === undefined) continue;
    if (event.type === "message.delta") {
      // What was said before a tool, or before somebody put in a word, and after it are not one paragraph.
      text += isBehindPause && text !== "" ? `\n\n${event.text}` : event.text;
      isBehindPause = false;
      view.text(text);
    }
    if (event.type === "tool.start") acted = true;
    if (event.type === "tool.start" || event.type === "steer.delivered") isBehindPause = true;
    if (event.type === "tool.complete" && event.files !== undefined) view.files(event.callId, event.files);
    if (isQuestion(event) && event.turnId === turnId) view.question(event);
    if (event.type === "approval.resolved" || event.type === "clarify.resolved") view.resolved(event);
    if (event.type !== "turn.end" || event.turnId !== turnId) continue;
    const { outcome, finish, error, reason } = event;
    return { outcome, turnId, text, acted, ...defined({ finish, error, reason }) };
  }
  return { outcome: "missing" };
}

/** Whether the log has the prompt, after a cursor. */
export async function hasPrompt(session: Session, promptId: string, after: number): Promise<boolean> {
  for await (const event of session.events({ after, follow: false })) {
    if (event.type === "turn.start" && event.prompt.id === promptId) return true;
    if (event.type === "prompt.queued" && event.prompt.id === promptId) return true;
  }
  return false;
}

/** A text that went into a running turn, who sent it, and the session's cursor before. */
export interface SteeredText {
  readonly text: string;
  readonly client: string;
  readonly after: number;
  readonly signal: AbortSignal;
}

/** Waits until the model has read a text that went into a running turn. `false`: the turn ended before it could. */
export async function wasDelivered(
  session: Session,
  { text, client, after, signal }: SteeredText,
): Promise<boolean> {
  let steerId: string | undefined;
  for await (const event of session.events({ after, signal })) {
    if (event.type === "steer.accepted" && event.text === text && event.from.client === client)
      steerId ??= event.steerId;
    if (steerId === undefined) continue;
    if (event.type === "steer.delivered" && event.steerIds.includes(steerId)) return true;
    if (event.type === "turn.end") return event.undelivered?.includes(text) !== true;
  }
  signal.throwIfAborted();
  return false;
}
