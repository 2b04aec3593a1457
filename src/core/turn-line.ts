import { HostError, toHostError } from "../shared/errors/host-error.ts";
import type { RecordDraft, StoredRecord } from "./ports/records.ts";
import type { Services } from "./ports/services.ts";
import type { SessionActor } from "./session/session-actor.ts";
import { otherHome } from "./session/home-machine.ts";
import type { SessionState } from "./state/state.ts";
import { TurnRoom, type WaitingLine, type WaitingSession } from "./turn/turn-room.ts";

const SPACE = "turns.waiting";
/** How often a host with room looks for those who wait at others. */
const LOOK_MS = 500;
/** The same where sessions belong to machines, and others leave prompts for them. */
const LOOK_AT_HOME_MS = 250;
/** A session that could not be begun is tried again after this. */
const AGAIN_MS = 2000;
/** Nobody waits in the line where turns are not limited: that may change with the settings. */
const SELDOM_MS = 10_000;
const MOST_AT_ONCE = 64;
const TRIES = 5;

/** The parts of the host that its line needs. */
export interface TurnLinePorts {
  readonly services: Services;
  readonly actor: (id: string) => Promise<SessionActor>;
  /** Nothing new is begun. */
  readonly draining: () => boolean;
  /** Only hosts that stay have a limit, and take what waits. */
  readonly resident: boolean;
}

/**
 * The line of sessions whose prompts wait for room, as records that all hosts share: whichever host has room takes the one
 * that has waited longest, and none is taken twice. The prompts themselves are in the queues of their sessions.
 */
export class TurnLine implements WaitingLine {
  readonly room: TurnRoom;
  readonly #ports: TurnLinePorts;
  #looking: Promise<void> | undefined;
  #added = 0;
  /** Something has changed since the look began that is under way. */
  #again = false;
  readonly #beginning = new Set<string>();
  #isOver = false;
  #cancel: () => void = () => undefined;

  constructor(ports: TurnLinePorts) {
    this.#ports = ports;
    this.room = new TurnRoom({ limit: () => this.#limit(), freed: () => this.lookSoon() });
  }

  /** Looks again and again from now on, where turns are limited; elsewhere it looks seldom whether they are. */
  start(): void {
    if (!this.#ports.resident) return;
    const { clock, machines } = this.#ports.services;
    const isUsed = machines !== undefined || this.#limit() > 0;
    const often = machines === undefined ? LOOK_MS : LOOK_AT_HOME_MS;
    this.#cancel = clock.after(isUsed ? often : SELDOM_MS, () => {
      const looked = isUsed ? this.look() : Promise.resolve();
      void looked
        .catch((thrown: unknown) => this.#report(thrown))
        .then(() => {
          if (!this.#isOver) this.start();
        });
    });
  }

  stop(): void {
    this.#isOver = true;
    this.#cancel();
  }

  /** Puts a session in the line; its place is that of its oldest prompt. */
  async add({ id, state }: WaitingSession): Promise<void> {
    const next = state.queue.find(({ held }) => !held);
    if (next === undefined || state.turn !== undefined) return;
    this.#added += 1;
    this.room.contended();
    try {
      await this.#put({ space: spaceOf(state), key: id, value: "{}", dueAt: next.queuedAt });
      // A place may be free again by now.
      this.lookSoon();
    } catch (thrown) {
      // The next sweep of any host finds it.
      this.#report(thrown);
    }
  }

  async #put(draft: RecordDraft): Promise<void> {
    const { records } = this.#ports.services.store;
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const { added, record } = await records.add(draft);
      if (added) return;
      // Whoever is just taking it may have looked before this prompt was there: it is to look again.
      if ((await records.replace(draft, record.version)) !== undefined) return;
    }
  }

  /** Whether a session waits in the line, and some host will come to it. */
  async has({ id, state }: WaitingSession): Promise<boolean> {
    const { store, machines } = this.#ports.services;
    const home = otherHome(state, machines);
    if (home !== undefined) return machines?.adopts() !== true || (await machines.isThere(home.id));
    const record = await store.records.get(spaceOf(state), id);
    // A claim of this host with which it does nothing is what a failure left.
    return record !== undefined && (record.claim?.hostId !== store.hostId || this.#beginning.has(id));
  }

  /** Looks for those who wait, without waiting for it. */
  lookSoon(): void {
    this.#again = true;
    void this.look().catch((thrown: unknown) => this.#report(thrown));
  }

  /** Begins the turns of those who wait longest, as many as there is room for. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  /** Resolves when no look is under way, however it went. */
  async idle(): Promise<void> {
    await this.#looking?.catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { draining, resident } = this.#ports;
    if (!resident) return;
    for (let more = true; more && !this.#isOver && !draining();) {
      this.#again = false;
      const wanted = Math.min(this.room.left, MOST_AT_ONCE);
      if (wanted === 0) return;
      const added = this.#added;
      const found = await this.#claim(wanted);
      if (found.length < wanted && added === this.#added) this.room.uncontended();
      // Somebody may have come meanwhile who saw the room.
      await Promise.all(
        found.map((record) => (this.room.isFull ? this.#giveBack(record) : this.#begin(record))),
      );
      more = this.#again || found.length === wanted;
    }
  }

  /** Sessions of this machine first: nobody else takes them. */
  async #claim(wanted: number): Promise<readonly StoredRecord[]> {
    const { store, machines } = this.#ports.services;
    const own = machines && (await store.records.claimDue(spaceOf({ home: machines.here }), wanted));
    const left = wanted - (own?.length ?? 0);
    const free = left === 0 ? [] : await store.records.claimDue(SPACE, left);
    return [...(own ?? []), ...free];
  }

  async #begin(record: StoredRecord): Promise<void> {
    const { records } = this.#ports.services.store;
    const { space, key: session, version } = record;
    const leave = this.room.enter(session);
    this.#beginning.add(session);
    try {
      const actor = await this.#ports.actor(session);
      await actor.queue.startWaiting();
      await records.remove(space, session, version);
    } catch (thrown) {
      const { code } = toHostError(thrown);
      // Whoever drives it now runs its queue, too.
      if (code === "session_not_found" || code === "lease_lost")
        await records.remove(space, session, version);
      else if (this.#ports.draining()) await this.#giveBack(record);
      else {
        this.#report(thrown);
        await this.#giveBack({ ...record, dueAt: this.#ports.services.clock.now() + AGAIN_MS });
      }
    } finally {
      this.#beginning.delete(session);
      leave();
    }
  }

  /** Leaves a session to other hosts, or to a later look. */
  async #giveBack({ space, key, version, dueAt = 0 }: StoredRecord): Promise<void> {
    this.room.contended();
    await this.#ports.services.store.records.replace({ space, key, value: "{}", dueAt }, version);
  }

  #limit(): number {
    return this.#ports.resident ? this.#ports.services.policy().limits.runningTurns : 0;
  }

  #report(thrown: unknown): void {
    const error = toHostError(thrown);
    // The store closes with the host.
    if (!this.#isOver || !(thrown instanceof HostError)) this.#ports.services.report(error);
  }
}

/** Sessions with files on a machine's disk wait in a line of that machine's own. */
const spaceOf = ({ home }: Pick<SessionState, "home">): string =>
  home === undefined || home.anywhere === true ? SPACE : `${SPACE}@${home.id}`;
