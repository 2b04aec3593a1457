import { defined } from "../../shared/json/defined.ts";
import type { LogView } from "../log/append-plan.ts";
import type { SessionState } from "../state/state.ts";
import { Driver, type DriverPorts, type StopReason } from "./driver.ts";
import type { TurnEnding } from "./turn-rows.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";

const CLOSED = "The program that ran it was closed.";

/** A listener to the turns of a session. */
interface TurnLoopListener {
  /** No turn runs any more. */
  over(): void;
  report(error: HostError): void;
}

/** A loop that drives a session's turns in this process: one at a time, each begun by the end of the one before it. */
export class TurnLoop {
  readonly #ports: DriverPorts;
  readonly #listener: TurnLoopListener;
  #current: Driver | undefined;
  #done: Promise<void> = Promise.resolve();
  #releasing: StopReason | undefined;
  /** The turn is another process's, also when the store could not be told so. */
  #isLeft = false;
  /** A turn that was interrupted before it had a driver. */
  #interrupting: { readonly turnId: string; readonly stop: StopReason } | undefined;
  /** Resolves with the next rows, for who waits for them. */
  #news: PromiseWithResolvers<void> | undefined;

  constructor(ports: DriverPorts, listener: TurnLoopListener) {
    this.#ports = ports;
    this.#listener = listener;
  }

  /** The driver of the turn that runs here. */
  get current(): Driver | undefined {
    return this.#current;
  }

  /** Drives a turn, and those that are queued behind it. */
  start(turnId: string): void {
    if (!this.#isLeft) this.#done = this.#drive(turnId);
  }

  /** From now on, turns that were on their way end as soon as they begin; the reason is for people. */
  refuseMore(reason = CLOSED): void {
    this.#releasing = { ending: { outcome: "interrupted", reason } };
  }

  /** Turns that were on their way end as soon as they begin. */
  get refusesMore(): boolean {
    return this.#releasing !== undefined;
  }

  /** Notes that rows were committed: the turn may have asked something. */
  noteRows(): void {
    this.#news?.resolve();
    this.#news = undefined;
  }

  /**
   * Waits until no turn runs here, or the one that does is parked. Resolves with whether there was anything to wait for.
   *
   * @param isParked - judges what is on its way to the log too: an answer that was taken counts
   */
  async rested(isParked: (state: SessionState) => boolean): Promise<boolean> {
    const { writer } = this.#ports;
    const isBusy = (): boolean => {
      if (this.#current === undefined) return false;
      return this.#current.stopping || writer.hasStreamedText || !isParked(writer.plannedState);
    };
    if (!isBusy()) return false;
    do {
      this.#news ??= Promise.withResolvers();
      await Promise.race([this.settled(), this.#news.promise]);
      await writer.settled();
    } while (isBusy());
    return true;
  }

  /**
   * Leaves the turn that runs here: one that is parked stays open for another process, any other ends as interrupted.
   *
   * @throws HostError when the store does not take it; a host that closes leaves the turn all the same, as it stands there
   */
  async leave(isParked: (view: LogView) => boolean): Promise<void> {
    let parked = false;
    const given = this.#ports.writer.transact((view) => {
      parked = isParked(view) && this.#current?.stopping !== true;
      return { events: [], value: undefined, ...(parked ? { lease: "give" as const } : {}) };
    });
    try {
      await given;
    } catch (thrown) {
      if (!this.#ports.draining()) throw thrown;
      this.#isLeft = parked;
    }
    if (parked) this.#current?.stop({ abandon: new HostError("draining", "The host is closing.") });
    else if (this.#releasing !== undefined) this.#current?.stop(this.#releasing);
    await this.settled();
    await given;
  }

  /** Interrupts a turn, also one whose driver is still to come; the reason is for people. */
  interrupt(turnId: string, { reason, stoppedBy }: Pick<TurnEnding, "reason" | "stoppedBy">): void {
    const stop: StopReason = { ending: { outcome: "cancelled", ...defined({ reason, stoppedBy }) } };
    if (this.#current?.turnId === turnId) this.#current.stop(stop);
    else this.#interrupting = { turnId, stop };
  }

  /** Resolves when no turn runs here. */
  async settled(): Promise<void> {
    for (let done; done !== this.#done;) {
      done = this.#done;
      await done;
    }
  }

  /** Never rejects. */
  async #drive(first: string): Promise<void> {
    const { line, log } = this.#ports;
    // Subagents are part of their parent's turn.
    const leave = log.state.depth > 0 ? () => undefined : line.room.enter(log.id);
    try {
      for (let turnId: string | undefined = first; turnId !== undefined;) {
        this.#current = new Driver(turnId, this.#ports);
        if (this.#interrupting?.turnId === turnId) this.#current.stop(this.#interrupting.stop);
        if (this.#releasing !== undefined) this.#current.stop(this.#releasing);
        turnId = await this.#current.run();
      }
      this.#current = undefined;
      this.#listener.over();
    } catch (thrown) {
      this.#current = undefined;
      this.#listener.report(toHostError(thrown));
    } finally {
      leave();
    }
  }
}
