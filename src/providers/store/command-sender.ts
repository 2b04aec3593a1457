import type { Clock } from "../../shared/async/clock.ts";
import type { Command, CommandResult } from "../../core/index.ts";
import type { Liveness } from "./liveness.ts";
import type { StoreBackend } from "./operations.ts";

/** How often a sender looks whether the one who should answer still lives. */
const CHECK_EVERY = 1_000;

export interface CommandSenderPorts {
  readonly backend: StoreBackend;
  readonly clock: Clock;
  readonly liveness: Liveness;
}

/** A command on its way: `wake` ends the pause of its sender. */
interface Waiting {
  rung: boolean;
  wake: () => void;
}

/** Commands of this process that wait for their answers. */
export class CommandSender {
  readonly #ports: CommandSenderPorts;
  readonly #waiting = new Map<string, Waiting>();
  #closed = false;

  constructor(ports: CommandSenderPorts) {
    this.#ports = ports;
  }

  /** Resolves with the answer, or with `undefined` as soon as nobody can be expected to give one. */
  async send(command: Command): Promise<CommandResult | undefined> {
    const { backend, clock } = this.#ports;
    const waiting: Waiting = { rung: false, wake: () => undefined };
    this.#waiting.set(command.id, waiting);
    try {
      if ((await backend.call("send", { command, now: clock.now() })) === undefined) return undefined;
      for (;;) {
        const taken = await this.#tryToEnd(command);
        if (!taken.open) return taken.result;
        await this.#pause(waiting, Math.min(command.deadline - clock.now(), CHECK_EVERY));
      }
    } catch (thrown) {
      if (this.#closed) return undefined;
      throw thrown;
    } finally {
      this.#waiting.delete(command.id);
    }
  }

  /** The answer is there, or nobody is left to give it. */
  settled(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    waiting.rung = true;
    waiting.wake();
  }

  /** Nobody waits any more. */
  close(): void {
    this.#closed = true;
    for (const id of this.#waiting.keys()) this.settled(id);
  }

  async #tryToEnd({
    id,
    deadline,
  }: Command): Promise<{ readonly open: boolean; readonly result?: CommandResult }> {
    const { backend, clock, liveness } = this.#ports;
    if (this.#closed) return { open: false };
    const answerer = await backend.call("answerer", { id });
    const dead = answerer !== undefined && !liveness.isAlive(answerer);
    const force = clock.now() >= deadline;
    return backend.call("withdraw", { id, from: dead ? answerer.id : undefined, force });
  }

  #pause(waiting: Waiting, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (waiting.rung) resolve();
    const cancel = this.#ports.clock.after(ms, resolve, true);
    waiting.wake = resolve;
    return promise.finally(() => {
      cancel();
      waiting.rung = false;
    });
  }
}
