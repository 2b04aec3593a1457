import type { Command, CommandResult } from "../../core/index.ts";
import type { HostPorts } from "./heartbeat.ts";

/** Milliseconds between two checks whether the host that should answer still lives. */
const CHECK_EVERY = 1_000;

/** A sent command; `wake` ends the pause of its sender. */
interface SentCommand {
  settled: boolean;
  wake: () => void;
}

/** Sends commands to the hosts that drive sessions, and waits for the answers. */
export class CommandSender {
  readonly #ports: HostPorts;
  readonly #sent = new Map<string, SentCommand>();
  #closed = false;

  constructor(ports: HostPorts) {
    this.#ports = ports;
  }

  /** Resolves with the answer, or with `undefined` as soon as no host can be expected to give one. */
  async send(command: Command): Promise<CommandResult | undefined> {
    const { backend, clock } = this.#ports;
    const sent: SentCommand = { settled: false, wake: () => undefined };
    this.#sent.set(command.id, sent);
    try {
      if ((await backend.call("send", { command, now: clock.now() })) === undefined) return undefined;
      for (;;) {
        const taken = await this.#tryToEnd(command);
        if (!taken.open) return taken.result;
        await this.#pause(sent, Math.min(command.deadline - clock.now(), CHECK_EVERY));
      }
    } catch (thrown) {
      if (this.#closed) return undefined;
      throw thrown;
    } finally {
      this.#sent.delete(command.id);
    }
  }

  /** The backend reports: the answer is there, or no host is left to give it. */
  settled(id: string): void {
    const sent = this.#sent.get(id);
    if (sent === undefined) return;
    sent.settled = true;
    sent.wake();
  }

  /** Ends all waiting, without answers. */
  close(): void {
    this.#closed = true;
    for (const id of this.#sent.keys()) this.settled(id);
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

  #pause(sent: SentCommand, ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (sent.settled) resolve();
    const cancel = this.#ports.clock.after(ms, resolve, true);
    sent.wake = resolve;
    return promise.finally(() => {
      cancel();
      sent.settled = false;
    });
  }
}
