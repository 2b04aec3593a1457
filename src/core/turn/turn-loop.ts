import { Driver, type DriverPorts, type StopReason } from "./driver.ts";
import { type HostError, toHostError } from "../../shared/errors/host-error.ts";

const RELEASED: StopReason = { ending: { outcome: "interrupted" } };
const INTERRUPTED: StopReason = { ending: { outcome: "cancelled" } };

/** What is done around the turns. */
interface TurnLoopListener {
  /** None runs any more. */
  over(): void;
  report(error: HostError): void;
}

/** The turns of one session that this process drives: one at a time, each begun by the end of the one before it. */
export class TurnLoop {
  readonly #ports: DriverPorts;
  readonly #around: TurnLoopListener;
  #current: Driver | undefined;
  #done: Promise<void> = Promise.resolve();
  #releasing = false;
  /** A turn that was interrupted before it had a driver. */
  #interrupting: string | undefined;

  constructor(ports: DriverPorts, around: TurnLoopListener) {
    this.#ports = ports;
    this.#around = around;
  }

  /** What drives the turn that runs here. */
  get current(): Driver | undefined {
    return this.#current;
  }

  /** Drives a turn, and those that are queued behind it. */
  start(turnId: string): void {
    this.#done = this.#drive(turnId);
  }

  /** Turns that begin from now on, because they were on their way, end at once. */
  refuseMore(): void {
    this.#releasing = true;
  }

  /** Ends the turn that runs here as interrupted. */
  release(): void {
    this.#current?.stop(RELEASED);
  }

  /** Somebody interrupted this turn. Its driver may not be there yet: it is told when it is. */
  interrupt(turnId: string): void {
    if (this.#current?.turnId === turnId) this.#current.stop(INTERRUPTED);
    else this.#interrupting = turnId;
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
    try {
      for (let turnId: string | undefined = first; turnId !== undefined;) {
        this.#current = new Driver(turnId, this.#ports);
        if (this.#interrupting === turnId) this.#current.stop(INTERRUPTED);
        if (this.#releasing) this.#current.stop(RELEASED);
        turnId = await this.#current.run();
      }
      this.#current = undefined;
      this.#around.over();
    } catch (thrown) {
      this.#current = undefined;
      this.#around.report(toHostError(thrown));
    }
  }
}
