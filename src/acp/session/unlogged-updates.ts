import type { Services, Session, SessionState, UserPart } from "../../core/index.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { PromptStopReason } from "../projection/turn-end.ts";
import type { SessionView } from "./session-view.ts";

/** The activity of a session. */
export type Activity = "running" | "requires_action" | "idle";

export function activityOf({ turn, questions }: Pick<SessionState, "turn" | "questions">): Activity {
  if (turn === undefined) return "idle";
  return questions.length > 0 ? "requires_action" : "running";
}

/** Sender of updates that are in no log: notices, the output of commands, and whether anything runs. */
export class UnloggedUpdates {
  readonly #session: Session;
  readonly #view: SessionView;
  readonly #hex: Services["hex"];
  /** The notices that wait until the client knows of the session. */
  #waiting: (() => void)[] | undefined = [];

  constructor(session: Session, view: SessionView, { hex }: Pick<Services, "hex">) {
    this.#session = session;
    this.#view = view;
    this.#hex = hex;
  }

  /** Sends the notices that waited, because the client knows of the session now. */
  open(): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const send of waiting) send();
  }

  /** Sends a notice that people must see. */
  notice(level: "info" | "warn" | "error", text: string): void {
    if (this.#waiting !== undefined) return void this.#waiting.push(() => this.notice(level, text));
    this.#view.post({ type: "notice", id: `notice.${this.#hex(4)}`, level, text, important: true });
  }

  /** Shows text as an answer that belongs to no turn. */
  message(text: string): void {
    this.#view.post({ type: "text", messageId: `command.${this.#hex(4)}`, text });
  }

  /** Shows that a command begins, with its prompt when the client is shown its own prompts. Gives the prompt's id. */
  commandBegins(parts: readonly UserPart[], echoesPrompts: boolean): string {
    const messageId = `command.${this.#hex(4)}`;
    this.#view.post({ type: "state", state: "running" });
    if (echoesPrompts) this.#view.post({ type: "user", messageId, parts });
    return messageId;
  }

  /** Tells whether anything runs. @param stop - why the work stopped */
  state(stop?: PromptStopReason, error?: ErrorRecord): void {
    const state = activityOf(this.#session.state);
    const reason = state === "idle" ? stop : undefined;
    this.#view.post({ type: "state", state, ...defined({ stop: reason, error }) });
  }
}
