import type { Clock } from "../../shared/async/clock.ts";

/** Milliseconds between two looks: who follows a turn hears within a second that its process has died. */
const EVERY_MS = 400;

/** The parts of a session that an owner watch needs. */
interface OwnerWatchPorts {
  readonly clock: Clock;
  /** Somebody here follows a turn that another process runs. */
  needed(): boolean;
  /** Looks whether that process lives, and takes over what it left when it does not. Never rejects. */
  look(): Promise<void>;
}

/** A watch on the process that runs a followed turn. It looks only as long as that is needed. */
export class OwnerWatch {
  readonly #ports: OwnerWatchPorts;
  #cancel: (() => void) | undefined;
  #closed = false;

  constructor(ports: OwnerWatchPorts) {
    this.#ports = ports;
  }

  /** Something has changed: looks from now on, if that is needed. */
  wake(): void {
    if (this.#closed || this.#cancel !== undefined || !this.#ports.needed()) return;
    this.#cancel = this.#ports.clock.after(EVERY_MS, () => void this.#look());
  }

  close(): void {
    this.#closed = true;
    this.#cancel?.();
  }

  async #look(): Promise<void> {
    if (this.#ports.needed()) await this.#ports.look();
    this.#cancel = undefined;
    this.wake();
  }
}
