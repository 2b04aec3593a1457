import { toHostError } from "./errors.ts";
import type { Services } from "./services.ts";
import type { SessionActor } from "./session-actor.ts";
import type { DeadHost } from "./store.ts";
import { settleOrphans } from "./subagents/orphans.ts";

const SWEEP_MS = 10_000;

interface TakeoverPorts {
  readonly services: Services;
  /** The session with this id, in this process's memory from now on. */
  actor(id: string): Promise<SessionActor>;
  /** Aborts when the host closes. */
  readonly life: AbortSignal;
}

/** Takes over what dead processes of this home left: kills their processes, and goes on with their sessions. */
export class Takeover {
  readonly #ports: TakeoverPorts;
  #sweeping: Promise<void> | undefined;
  #cancelNext: () => void = () => undefined;
  /** What was taken over is settled with its parents one by one, after the sweep that found it. */
  #orphans: Promise<void> = Promise.resolve();

  constructor(ports: TakeoverPorts) {
    this.#ports = ports;
  }

  /** Looks for dead processes now, and 10 s after each time; calls at once share one sweep. */
  sweep(): Promise<void> {
    this.#cancelNext();
    this.#sweeping ??= this.#sweepOnce().finally(() => {
      this.#sweeping = undefined;
      if (this.#ports.life.aborted) return;
      const again = (): void => void this.sweep().catch((thrown: unknown) => this.#report(thrown));
      this.#cancelNext = this.#ports.services.clock.after(SWEEP_MS, again);
    });
    return this.#sweeping;
  }

  /** Resolves when all is settled that was taken over. */
  settled(): Promise<void> {
    return this.#orphans;
  }

  /** No sweep begins by itself any more. */
  stop(): void {
    this.#cancelNext();
  }

  /** Resolves when no sweep is under way, however it went. */
  async idle(): Promise<void> {
    await this.#sweeping?.catch(() => undefined);
  }

  async #sweepOnce(): Promise<void> {
    const { store, reap } = this.#ports.services;
    const inherited: SessionActor[] = [];
    for (const dead of await store.findDead()) {
      await reap(dead);
      for (const id of dead.sessions) inherited.push(...(await this.#inherit(id, dead)));
      await store.bury(dead.hostId);
    }
    // A parent is told what its subagent did when that is known in full.
    for (const actor of inherited) this.#orphaned(actor);
  }

  async #inherit(id: string, { hostId, newBoot }: DeadHost): Promise<readonly SessionActor[]> {
    const lease = await this.#ports.services.store.takeOver(id, hostId);
    if (lease === undefined) return [];
    try {
      const actor = await this.#ports.actor(id);
      await actor.recover({ fence: lease.fence, reserved: newBoot ? lease.reserved : undefined });
      return [actor];
    } catch (thrown) {
      // One damaged session must not keep the others from going on.
      this.#report(thrown);
      return [];
    }
  }

  /** Whoever waits for the work of a dead process learns that it was interrupted. */
  #orphaned(actor: SessionActor): void {
    const find = (id: string): Promise<SessionActor | undefined> =>
      this.#ports.actor(id).catch(() => undefined);
    this.#orphans = this.#orphans
      .then(() => settleOrphans(actor, find))
      .catch((thrown: unknown) => this.#report(thrown));
  }

  #report(thrown: unknown): void {
    this.#ports.services.report(toHostError(thrown));
  }
}
