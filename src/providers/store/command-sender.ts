import type { Command, CommandDraft, CommandResult } from "../../core/index.ts";
import type { HeartbeatPorts } from "./heartbeat.ts";

/** Milliseconds between two checks whether the host that should answer still lives. */
const CHECK_EVERY = 1_000;

/** A sent command; `wake` ends the pause of its sender. */
interface SentCommand {
  settled: boolean;
  wake: () => void;
}

/** Sends commands to the hosts that drive sessions, and waits for the answers; hands out those that this host is sent, each once. */
export class CommandSender {
  readonly #ports: HeartbeatPorts;
  readonly #sent = new Map<string, SentCommand>();
  /** The deadlines of commands that this host was handed: one comes again when it was taken from this host and given back to it. */
  readonly #given = new Map<string, number>();
  #closed = false;

  constructor(ports: HeartbeatPorts) {
    this.#ports = ports;
  }

  /** Resolves with the answer, or with `undefined` as soon as no host can be expected to give one. */
  async send({ waitMs, ...draft }: CommandDraft): Promise<CommandResult | undefined> {
    const { backend, clock } = this.#ports;
    // Whatever becomes of the wall clock, the sender waits so long.
    const until = clock.monotonic() + waitMs;
    const command = { ...draft, deadline: clock.now() + waitMs };
    const sent: SentCommand = { settled: false, wake: () => undefined };
    this.#sent.set(command.id, sent);
    try {
      if ((await backend.call("send", { command, now: clock.now() })) === undefined) return undefined;
      for (;;) {
        const taken = await this.#tryToEnd(command.id, until);
        if (!taken.open) return taken.result;
        await this.#pause(sent, Math.min(until - clock.monotonic(), CHECK_EVERY));
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

  /** A command was handed to this host: it is to be carried out, if somebody still waits and it was not handed out before. */
  given(command: Command, carryOut: (command: Command) => void): void {
    const now = this.#ports.clock.now();
    for (const [id, deadline] of this.#given) if (deadline < now) this.#given.delete(id);
    if (now >= command.deadline || this.#given.has(command.id)) return;
    this.#given.set(command.id, command.deadline);
    carryOut(command);
  }

  /** Commands were answered by this host. */
  answered(results: readonly CommandResult[]): void {
    for (const { id } of results) this.#given.delete(id);
  }

  /** Ends all waiting, without answers. */
  close(): void {
    this.#closed = true;
    for (const id of this.#sent.keys()) this.settled(id);
  }

  async #tryToEnd(
    id: string,
    until: number,
  ): Promise<{ readonly open: boolean; readonly result?: CommandResult }> {
    const { backend, clock, liveness, died } = this.#ports;
    if (this.#closed) return { open: false };
    const answerer = await backend.call("answerer", { id });
    const dead = answerer !== undefined && !liveness.isAlive(answerer) ? answerer : undefined;
    // What another machine had begun may still arrive, until somebody takes the session over; then the command is theirs.
    const isFar = dead !== undefined && liveness.isRemote(dead);
    if (isFar) died();
    const force = clock.monotonic() >= until;
    return backend.call("withdraw", { id, from: isFar ? undefined : dead?.id, force });
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
