import { toHostError } from "../shared/errors/host-error.ts";
import { ANY_SESSION } from "./session/look-up-session.ts";
import type { CarryOutPorts } from "./session/carry-out.ts";
import type { SessionActor, SessionActorPorts } from "./session/session-actor.ts";
import type { ListQuery } from "./ports/session-list.ts";
import type { DeadHost } from "./ports/store.ts";
import { otherHome } from "./session/home-machine.ts";
import { endLostProcesses } from "./session/lost-processes.ts";
import type { TurnLine } from "./turn-line.ts";
import { settleOrphans } from "./subagents/orphans.ts";

const SWEEP_MS = 10_000;
/** Milliseconds after which a queued prompt counts as abandoned: a process that waits for it would have begun it at once. */
const ABANDONED_MS = 2000;
/** The most sessions with abandoned prompts, and with questions, that one sweep looks at. */
const ABANDONED_AT_ONCE = 100;

type TakeoverPorts = CarryOutPorts &
  Pick<SessionActorPorts, "resident" | "life"> & { readonly line: Pick<TurnLine, "has" | "look"> };

/**
 * Takes over what dead processes of this home left: kills their processes, and goes on with their sessions and with
 * the prompts that they queued.
 */
export class Takeover {
  readonly #ports: TakeoverPorts;
  #sweeping: Promise<void> | undefined;
  #cancelNext: () => void = () => undefined;
  /** Where the next sweep goes on with the sessions that ask; from the newest on when it is not set. */
  #askingBelow: ListQuery["below"];
  /** The sessions that were taken over are settled with their parents one by one, after the sweep that found them. */
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
    const stopped = new Set<string>();
    for (const dead of await store.findDead()) {
      await reap(dead);
      for (const id of dead.sessions) inherited.push(...(await this.#inherit(id, dead)));
      for (const { session } of dead.children) stopped.add(session);
      await store.forgetHost(dead.hostId);
    }
    // A parent is told what its subagent did when that is known in full.
    for (const actor of inherited) this.#orphaned(actor);
    for (const id of stopped) this.endProcesses(id);
    if (!this.#ports.resident) return;
    await this.#runAbandoned();
    await this.#keepDeadlines();
  }

  /**
   * Runs queues that nobody drives. A process that does not stay leaves its queue to the callers who wait for its prompts.
   * If they are gone too, nobody holds the session, and its prompts would wait for the next one that somebody sends.
   */
  async #runAbandoned(): Promise<void> {
    const { line, services } = this.#ports;
    const { store, clock } = services;
    await line.look();
    const abandoned = await store.list({
      ...ANY_SESSION,
      waiting: true,
      activeBefore: clock.now() - ABANDONED_MS,
      limit: ABANDONED_AT_ONCE,
      includeHidden: true,
      unowned: true,
    });
    for (const { id, state } of abandoned) {
      // Those in the line wait for room, or for their machine, not for an owner.
      if (await line.has({ id, state })) continue;
      try {
        await (await this.#ports.actor(id)).runAbandonedQueue();
      } catch (thrown) {
        // One damaged session must not keep the others from being run.
        this.#report(thrown);
      }
    }
  }

  /**
   * Lets the time of questions run whose turn nobody drives: the process that asked has left, and the one that took over may be gone
   * as well. Each process that stays does so; the first end counts. They stay without an owner, so sweeps take turns with them.
   */
  async #keepDeadlines(): Promise<void> {
    const { store, machines } = this.#ports.services;
    const limit = ABANDONED_AT_ONCE;
    const below = this.#askingBelow;
    const choice = { ...ANY_SESSION, doing: "asking", unowned: true, includeHidden: true, limit } as const;
    const asking = await store.list({ ...choice, ...(below && { below }) });
    const last = asking.length < limit ? undefined : asking.at(-1);
    this.#askingBelow = last && { activeAt: last.state.activeAt, id: last.id };
    for (const { id, state } of asking) {
      // Its turn would go on here, without the files of its own machine.
      if (otherHome(state, machines) !== undefined) continue;
      try {
        await (await this.#ports.actor(id)).recover();
      } catch (thrown) {
        // One that is just removed must not keep the others, nor who waits for this sweep, from going on.
        this.#report(thrown);
      }
    }
  }

  async #inherit(id: string, { hostId, newBoot }: DeadHost): Promise<readonly SessionActor[]> {
    if (await this.#isAnothers(id)) return [];
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

  /** Another host of the machine with the session's files takes it over. */
  async #isAnothers(id: string): Promise<boolean> {
    const { store, machines } = this.#ports.services;
    if (machines === undefined) return false;
    const home = otherHome((await store.record(id))?.state ?? {}, machines);
    return home !== undefined && (await machines.isThere(home.id));
  }

  /** Notes which commands in the background of a session ended with the hosts that ran them. */
  endProcesses(id: string): void {
    const { actor, services } = this.#ports;
    const isGone = async (hostId: string): Promise<boolean> => !(await services.store.isAlive(hostId));
    this.#settle(async () => {
      try {
        await endLostProcesses(await actor(id), isGone);
      } catch (thrown) {
        // Nobody is told of commands of no session, as the test of a sandbox has them, or of one that was deleted since.
        if (toHostError(thrown).code !== "session_not_found") throw thrown;
      }
    });
  }

  /** Tells the parents of a dead process's sessions that their work was interrupted. */
  #orphaned(actor: SessionActor): void {
    const find = (id: string): Promise<SessionActor | undefined> =>
      this.#ports.actor(id).catch(() => undefined);
    this.#settle(() => settleOrphans(actor, find));
  }

  /** Does it after all that is to be settled already, outside any sweep: it may ask for one. */
  #settle(work: () => Promise<void>): void {
    this.#orphans = this.#orphans.then(work).catch((thrown: unknown) => this.#report(thrown));
  }

  #report(thrown: unknown): void {
    this.#ports.services.report(toHostError(thrown));
  }
}
