import type { Services, UserPart } from "../../core/index.ts";
import type { SessionView } from "./session-view.ts";

/** What a client is told of a session that is in no log: notices, and what commands say. */
export class OffLog {
  readonly #view: SessionView;
  readonly #hex: Services["hex"];
  /** What is to be told as soon as the client knows of the session. */
  #early: (() => void)[] | undefined = [];

  constructor(view: SessionView, { hex }: Pick<Services, "hex">) {
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
}
