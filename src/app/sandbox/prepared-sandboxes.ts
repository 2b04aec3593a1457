import type { Host, HostOptions } from "../../core/index.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { isOfOthers } from "./others.ts";
import type { SessionSandboxes } from "./session-sandboxes.ts";

/** A model that answers sooner is not to share the machine with the making of a sandbox. */
const THINKING_MS = 150;

interface Parts {
  readonly sandboxes: Pick<SessionSandboxes, "prepare">;
  readonly host: () => Pick<Host, "loaded">;
  readonly clock: Clock;
}

/** The sandboxes that a process that stays opens while models think, so that a first command need not wait. */
export class PreparedSandboxes {
  readonly #parts: Parts;
  /** By session, what ends the wait. */
  readonly #waits = new Map<string, () => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Is told of each row of this process's sessions. */
  readonly observe: NonNullable<HostOptions["observe"]> = (session, { event: { type } }) => {
    if (type !== "turn.start" && type !== "turn.end") return;
    this.#waits.get(session)?.();
    this.#waits.delete(session);
    if (type === "turn.start")
      this.#waits.set(
        session,
        this.#parts.clock.after(THINKING_MS, () => this.#prepare(session)),
      );
  };

  #prepare(id: string): void {
    this.#waits.delete(id);
    const { host, sandboxes } = this.#parts;
    const state = host().loaded(id)?.state;
    if (state === undefined || isOfOthers(state.platform) || state.roots.length === 0) return;
    const { platform, roots } = state;
    // What is wrong is told when a command is to run.
    sandboxes.prepare({ id, platform, roots }).catch(() => undefined);
  }
}
