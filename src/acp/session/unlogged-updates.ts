import type { Services, Session, SessionState, UserPart } from "../../core/index.ts";
import type { ErrorRecord } from "../../shared/errors/host-error.ts";
import type { StopReason } from "../projection/conversation-update.ts";
import type { SessionView } from "./session-view.ts";

/** What a session is doing. */
export type Activity = "running" | "requires_action" | "idle";

export function activityOf({ turn, questions }: Pick<SessionState, "turn" | "questions">): Activity {
  if (turn === undefined) return "idle";
  return questions.length > 0 ? "requires_action" : "running";
}

/** What a client is told of a session that is in no log: notices, what commands say, and whether anything runs. */
export class UnloggedUpdates {
  readonly #session: Session;
  readonly #view: SessionView;
  readonly #hex: Services["hex"];
  /** What is to be told as soon as the client knows of the session. */
  #early: (() => void)[] | undefined = [];

  constructor(session: Session, view: SessionView, { hex }: Pick<Services, "hex">) {
    this.#session = session;
    this.#view = view;
    this.#hex = hex;
  }

  /** The client knows of the session now. */
  open(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const tell of early) tell();
  }

  /** Tells the client something that matters. */
  notice(level: "info" | "warn" | "error", text: string): void {
    if (this.#early !== undefined) return void this.#early.push(() => this.notice(level, text));
    this.#view.post({ type: "notice", id: `notice.${this.#hex(4)}`, level, text, important: true });
  }

  /** Shows text as an answer that belongs to no turn. */
  say(text: string): void {
    this.#view.post({ type: "text", messageId: `command.${this.#hex(4)}`, text });
  }

  /** A prompt that is a command is shown like any other, where the client wants to be shown its own; gives its id. */
  commandBegins(parts: readonly UserPart[], { echoes }: { readonly echoes: boolean }): string {
    const messageId = `command.${this.#hex(4)}`;
    this.#view.post({ type: "state", state: "running" });
    if (echoes) this.#view.post({ type: "user", messageId, parts });
    return messageId;
  }

  /** Tells a client that keeps track of it whether anything runs. @param stop - why what ran has stopped */
  state(stop?: StopReason, error?: ErrorRecord): void {
    const activity = activityOf(this.#session.state);
    const why = activity !== "idle" || stop === undefined ? {} : { stop };
    this.#view.post({ type: "state", state: activity, ...why, ...(error === undefined ? {} : { error }) });
  }
}
