import type { Agent } from "../../app/compose.ts";
import type { Io } from "../../app/process/io.ts";
import { onSignals } from "../../app/process/signals.ts";

/** The window in which a turn was started: when it is closed, the turn goes on without it. */
export class RunWindow implements Disposable {
  readonly #io: Io;
  readonly #agent: Agent;
  readonly #stop: () => void;
  readonly #signals: Disposable;
  #alone: Promise<void> | undefined;
  #isUnread = false;

  /** @param stop - stops the turn: nobody reads it, and there was no window */
  constructor(io: Io, agent: Agent, stop: () => void) {
    this.#io = io;
    this.#agent = agent;
    this.#stop = stop;
    this.#signals = onSignals(io, ["SIGHUP"], this.closed);
    const { stdin, stdout } = io;
    // Its keys end before its signal comes.
    if (stdin.isTTY === true && stdout.isTTY === true)
      for (const event of ["error", "end"]) stdin.once(event, this.closed);
  }

  /** Nobody is at the terminal any more: questions are answered elsewhere. */
  get isClosed(): boolean {
    const { stdin } = this.#io;
    return this.#alone !== undefined || stdin.readableEnded || stdin.destroyed;
  }

  /** The turn was stopped because nobody takes its output. */
  get isUnread(): boolean {
    return this.#isUnread;
  }

  /** Nobody takes the output. */
  readonly unread = (): void => {
    this.closed();
    this.#isUnread ||= this.#alone === undefined;
  };

  /** Its signal came, or nobody takes the output. */
  readonly closed = (): void => {
    const { stdin, stdout } = this.#io;
    if (stdin.isTTY !== true || stdout.isTTY !== true) return this.#stop();
    this.#alone ??= this.#goOn();
    // A failure is heard when the turn is over.
    this.#alone.catch(() => undefined);
  };

  /** Resolves when nothing is left to do without the window. */
  async done(): Promise<void> {
    await this.#alone;
  }

  [Symbol.dispose](): void {
    this.#signals[Symbol.dispose]();
  }

  async #goOn(): Promise<void> {
    const { pid, cwd } = this.#io;
    this.#io.leaveTerminal();
    const { goOnAlone, noteAlone } = await import("../../app/detached/go-on-alone.ts");
    // SIGTERM stops the turn, and with it this.
    await goOnAlone(this.#agent, await noteAlone(this.#agent, { pid, cwd }), new AbortController().signal);
  }
}
