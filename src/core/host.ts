import { makeRows } from "./log/append-plan.ts";
import { waitAtMost } from "../shared/async/deadline.ts";
import { HostError, toHostError } from "../shared/errors/host-error.ts";
import { lookUpSession, type FoundSession } from "./session/look-up-session.ts";
import { planBranch } from "./session/plan-branch.ts";
import { type HostOptions, servicesOf } from "./host-options.ts";
import { firstRows } from "./session/first-rows.ts";
import { type BranchOptions, type OpenOptions, startEvents } from "./session/open-options.ts";
import { sessionIdFor } from "./session/session-id.ts";
import type { Origin } from "./events/prompt.ts";
import type { Submission } from "./session/submission.ts";
import { carryOut } from "./session/carry-out.ts";
import type { Services } from "./ports/services.ts";
import { SessionActor, type SessionActorPorts } from "./session/session-actor.ts";
import { hostDraining, sessionExists, sessionNotFound } from "./log/errors.ts";
import { SessionCache } from "./session/session-cache.ts";
import { Session } from "./session.ts";
import { EMPTY_STATE, type SessionState } from "./state/state.ts";
import type { SearchPage, Store, TextQuery, SessionRecord } from "./ports/store.ts";
import { runInBackground } from "./subagents/background.ts";
import { allRested, releaseAll, saveAndEnd } from "./last-saves.ts";
import { deleteSession } from "./delete-session.ts";
import { SubagentManager, type SubagentManagerPorts } from "./subagents/subagent-manager.ts";
import { Takeover } from "./takeover.ts";
import { TurnLine } from "./turn-line.ts";
import { UserSessions } from "./user-sessions.ts";
import type { Turn } from "./session/turn-handle.ts";

/** A session that has just been made, and the turn of its first prompt. */
export interface Begun {
  readonly session: Session;
  readonly turn: Turn;
}

const KEEP_LEASE_MS = 2000;

/**
 * Opens a host on a store: the one object of a process that owns sessions.
 *
 * @throws HostError `store_*` when the store cannot be used
 */
export async function openHost(options: HostOptions): Promise<Host> {
  const host = new Host(options);
  await host.start();
  return host;
}

/** The owner of the sessions of one process on one store; see `openHost`. */
export class Host implements AsyncDisposable {
  /** The parts that surfaces need too: clock, models, toolsets, policy. */
  readonly services: Services;
  readonly subagents: SubagentManager;
  readonly #actorPorts: SessionActorPorts;
  readonly #life = new AbortController();
  readonly #sessions = new SessionCache<SessionActor>();
  readonly #takeover: Takeover;
  readonly #line: TurnLine;
  #draining = false;

  /** @internal use `openHost`, or `start` it where its parts need it from the first moment on */
  constructor(options: HostOptions) {
    this.services = servicesOf(options);
    this.subagents = new SubagentManager(this.#family());
    const resident = options.resident ?? true;
    const draining = (): boolean => this.#draining;
    const actor = (id: string): Promise<SessionActor> => this.#actor(id);
    this.#line = new TurnLine({ services: this.services, actor, draining, resident });
    this.#actorPorts = {
      services: this.services,
      subagents: this.subagents,
      sweep: () => this.sweep(),
      draining,
      line: this.#line,
      resident,
      keepLeaseMs: options.keepLeaseMs ?? (resident ? KEEP_LEASE_MS : 0),
      life: this.#life.signal,
    };
    this.#takeover = new Takeover({ ...this.#actorPorts, line: this.#line, actor });
    this.#line.start();
    this.services.store.onCommand((command) => void carryOut(command, this.#family()));
    this.services.store.onHostChange((change) => {
      if (change === "lost") for (const actor of this.#sessions.all()) actor.loseLease();
      // What was lost is there to be taken over by now, by this host as by any other.
      else this.sweep().catch((thrown: unknown) => this.services.report(toHostError(thrown)));
    });
  }

  get draining(): boolean {
    return this.#draining;
  }

  /**
   * Makes a session; it is in the store when this resolves.
   *
   * @throws HostError `invalid_params` or `session_exists` for an id of the caller's, `invalid_title`
   */
  async open(options: OpenOptions = {}): Promise<Session> {
    if (this.#draining) throw hostDraining();
    for (;;) {
      const id = sessionIdFor(this.services, options.id);
      const { rows, state } = firstRows(options, this.services);
      if (await this.services.store.create(id, rows, state)) return new Session(this.#cached(id, state));
      if (options.id !== undefined) throw sessionExists(id);
    }
  }

  /**
   * Makes a session and sends its first prompt, in one trip to the store: both are there, or neither.
   *
   * @throws HostError as `open` and `Session.submit` do
   */
  async begin(options: OpenOptions, submission: Submission): Promise<Begun> {
    if (this.#draining) throw hostDraining();
    const firstEvents = startEvents(options, this.services.machines);
    for (;;) {
      const id = sessionIdFor(this.services, options.id);
      const known = this.#sessions.get(id) !== undefined;
      if (known && options.id !== undefined) throw sessionExists(id);
      if (known) continue;
      const session = new Session(this.#cached(id, EMPTY_STATE));
      const turn = session.submit({ ...submission, firstEvents });
      try {
        await turn.accepted;
        return { session, turn };
      } catch (thrown) {
        this.#sessions.drop(id);
        const taken = thrown instanceof HostError && thrown.code === "session_exists";
        if (!taken || options.id !== undefined) throw thrown;
      }
    }
  }

  /** @throws HostError `session_not_found`, `session_damaged` when nothing of it can be read */
  async session(id: string): Promise<Session> {
    return new Session(await this.#actor(id));
  }

  /**
   * The session with this id, exactly this title, or an id that begins so. Of several with the title, the one with the
   * newest activity; `lookUp` tells of the others.
   *
   * @throws HostError `session_not_found`, `conflict` when several ids begin so
   */
  readonly find = async (words: string): Promise<Session> => this.found(await this.lookUp(words));

  /** The session that was just found. */
  found({ record: { id, state } }: FoundSession): Session {
    return new Session(this.#cached(id, state));
  }

  /** As `find`, with the other sessions of the same title. */
  lookUp(words: string): Promise<FoundSession> {
    return lookUpSession(this.services, words);
  }

  /** A session as the store has it, without bringing it into memory; `undefined` when there is none. */
  record(id: string): Promise<SessionRecord | undefined> {
    return this.services.store.record(id);
  }

  /** Sessions as the store has them, the newest activity first. */
  list(query: Parameters<Store["list"]>[0]): Promise<readonly SessionRecord[]> {
    return this.services.store.list(query);
  }

  /** Finds sessions by what was said in them; see `Store.search`. */
  readonly search = (query: TextQuery): Promise<SearchPage> => this.services.store.search(query);

  /** The sessions of one user: the only door for members. */
  readonly of = (user: string): UserSessions => new UserSessions(user, this);

  /** The session of an id, when this process has it in memory. */
  loaded(id: string): Session | undefined {
    const actor = this.#sessions.peek(id);
    return actor && new Session(actor);
  }

  readonly live = (): readonly Session[] => this.#sessions.all().map((actor) => new Session(actor));

  /** Turns running in this process. */
  get running(): number {
    return this.#sessions.all().filter(({ driving }) => driving).length;
  }

  /** Resolves when no turn runs in this process or is about to begin, and none that is queued begins here. */
  async idle(): Promise<void> {
    await this.#line.room.begun();
    if (this.running === 0) return;
    await Promise.all(this.#sessions.all().map((actor) => actor.settled()));
    return await this.idle();
  }

  /**
   * Deletes a session with all that belongs to it, the sessions of its subagents among it. Its turn is stopped first.
   *
   * @throws HostError `session_busy`, `session_not_found`
   */
  async delete(id: string): Promise<void> {
    await deleteSession({ services: this.services, sessions: this.#sessions }, id);
  }

  /**
   * Copies a session up to its last ended turn, or up to an earlier one, into a new one; the source stays as it is.
   *
   * @throws HostError `nothing_to_branch`, `invalid_title`, `session_exists`
   */
  async branch(id: string, options: BranchOptions = {}): Promise<Session> {
    const { store } = this.services;
    const { past, event } = await planBranch(store, await this.#actor(id), options);
    const newId = sessionIdFor(this.services, options.id);
    const { rows, state } = makeRows([event], past, this.services);
    if (!(await store.branch(id, { n: past.n, seq: past.seq }, { id: newId, rows, state }))) {
      throw sessionExists(newId);
    }
    await this.services.checkpoints?.copy(id, newId, past.seq);
    return new Session(this.#cached(newId, state));
  }

  /**
   * Runs a prompt beside the session, with its model and tools but without its conversation; the answer comes as a
   * `background.complete` of the session. Gives the task's id.
   */
  async background(id: string, text: string, from: Origin): Promise<string> {
    return await runInBackground({ ...this.#family(), subagents: this.subagents }, { id, text, from });
  }

  /** Takes over what dead processes left. Happens at the start and every 10 s by itself. */
  sweep(): Promise<void> {
    return this.#takeover.sweep();
  }

  /** @internal Takes over what dead processes left, and resolves when all of it is settled. */
  async start(): Promise<void> {
    await this.sweep();
    await this.#takeover.settled();
  }

  /**
   * Ends the host's work: no new prompts; turns that run get `drainMs`, then are interrupted. Those that only wait for an answer
   * are left open, and not waited for. `reason` is what people read of an interrupted turn. What is still to be stored then has some seconds.
   */
  async close(how: { readonly drainMs?: number; readonly reason?: string } = {}): Promise<void> {
    const { drainMs = 0, reason } = how;
    const { services, subagents } = this;
    const life = this.#life;
    if (life.signal.aborted) return;
    this.#draining = true;
    this.#takeover.stop();
    this.#line.stop();
    const sessions = (): readonly SessionActor[] => this.#sessions.all();
    const resting = (): Promise<void> => allRested(this.#line, sessions);
    if (drainMs > 0) await waitAtMost({ clock: services.clock, ms: drainMs }, resting);
    await saveAndEnd({ services, subagents, sessions, life }, reason);
    await this.#takeover.idle();
    await this.#line.idle();
    // A sweep that was under way may have taken sessions up meanwhile.
    await releaseAll({ services, sessions }, reason);
    for (const actor of this.#sessions.all()) actor.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #actor(id: string): Promise<SessionActor> {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const record = await this.services.store.record(id);
    if (record === undefined) throw sessionNotFound(id);
    return this.#cached(id, record.state);
  }

  #cached(id: string, state: SessionState): SessionActor {
    const known = this.#sessions.get(id);
    // Another process deleted the one that had the id.
    if (known !== undefined && known.log.state.createdAt !== state.createdAt) known.log.markDeleted();
    return this.#sessions.getOrPut(id, () => {
      if (state.processes.length > 0) this.#takeover.endProcesses(id);
      return new SessionActor(id, state, this.#actorPorts);
    });
  }

  #family(): SubagentManagerPorts {
    return {
      services: this.services,
      actor: (id) => this.#actor(id),
      open: async (options) => await this.#actor((await this.open(options)).id),
    };
  }
}
