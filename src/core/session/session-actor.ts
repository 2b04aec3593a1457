import type { SessionActorPorts } from "./actor-ports.ts";
import type { SecretOpener } from "../questions/answer-question.ts";
import type { Decision, LogView } from "../log/append-plan.ts";
import { sleep } from "../../shared/async/clock.ts";
import { ConversationCache } from "../conversation/conversation-cache.ts";
import type { Prompt } from "../events/prompt.ts";
import { TurnLoop } from "../turn/turn-loop.ts";
import type { DriverPorts } from "../turn/driver.ts";
import { errorRecord, HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { Row } from "../events/events.ts";
import { SessionLog } from "../log/session-log.ts";
import { type OperationName, type OperationTypes, OPERATIONS } from "./operations.ts";
import { QuestionDeadlines } from "../questions/question-deadlines.ts";
import { nextPrompt, withHeld } from "../state/queue.ts";
import { isParked, recovery } from "./recovery.ts";
import { askInstead } from "./ask-owner.ts";
import { RequestPreamble } from "../turn/request-preamble.ts";
import type { Services } from "../ports/services.ts";
import { LeaseHeldError, hostDraining } from "../log/errors.ts";
import { SessionWatch } from "../log/session-watch.ts";
import type { SessionState } from "../state/state.ts";
import { turnStartRows } from "../turn/turn-rows.ts";
import { TurnWaiters } from "./turn-waiters.ts";

/** Owners may die or let go while they are asked; this often is more than chance. */
const ATTEMPTS = 6;
/** Milliseconds between two such attempts, longer each time. */
const LEAVING_MS = 50;
const ALWAYS_APPENDS = new Set<OperationName>(["submit", "title", "settings"]);
const STARTS_WORK = new Set<OperationName>(["submit", "confirm"]);

/** A session at work in this process: carries out operations, here or by its owner, and drives its turns. */
export class SessionActor {
  readonly id: string;
  readonly log: SessionLog;
  readonly waiters: TurnWaiters;
  readonly preamble = new RequestPreamble(this);
  readonly #ports: SessionActorPorts;
  readonly #deadlines: QuestionDeadlines;
  readonly #conversation: ConversationCache;
  readonly #turns: TurnLoop;
  readonly #watch: SessionWatch;
  #cancelLeaseReturn: () => void = () => undefined;

  constructor(id: string, state: SessionState, ports: SessionActorPorts) {
    this.id = id;
    this.#ports = ports;
    const listener = {
      rows: (rows: readonly Row[], before: SessionState) => this.#onRows(rows, before),
      planned: (rows: readonly Row[]) => this.#onPlanned(rows),
      failed: (error: HostError) => this.#onFailed(error),
      fenced: () =>
        this.#turns.current?.stop({ abandon: new HostError("lease_lost", `Session ${id} was taken over.`) }),
    };
    this.log = new SessionLog(id, state, { ports: ports.services, listener });
    this.waiters = new TurnWaiters(this.log);
    this.#conversation = new ConversationCache(this.log);
    this.#deadlines = new QuestionDeadlines(ports.services.clock, (requestId) => this.#expire(requestId));
    const { store, clock, report } = ports.services;
    this.#watch = new SessionWatch(id, { store, clock, moved: () => this.#onForeignAppend() });
    this.#turns = new TurnLoop(this.#driverPorts(), { over: () => this.#over(), report });
  }

  get services(): Services {
    return this.#ports.services;
  }

  /** A turn runs in this process. */
  get driving(): boolean {
    return this.#turns.current !== undefined;
  }

  /** Nothing in this process needs the session in memory. */
  get idle(): boolean {
    return !this.driving && !this.#watch.followed;
  }

  /** Brings the state up to date with what other processes appended. */
  async refresh(): Promise<SessionState> {
    if (!this.log.holdsLease) await this.log.refresh();
    return this.log.state;
  }

  /**
   * Carries out an operation: here, or in the process that drives the session; after taking it over when that one is
   * dead.
   *
   * @throws HostError what the operation throws, `session_unreachable`, `store_*`
   */
  async run<K extends OperationName>(
    kind: K,
    input: OperationTypes[K]["input"],
  ): Promise<OperationTypes[K]["value"]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#checkOwner(kind);
        return await this.apply(kind, input);
      } catch (thrown) {
        if (!(thrown instanceof LeaseHeldError)) throw thrown;
        const request = { session: this.id, kind, input, last: attempt >= ATTEMPTS };
        const value = await askInstead(this.#ports, thrown.owner, request);
        // An owner that is just leaving gets the time to.
        if (value === undefined && attempt > 1)
          await sleep(this.services.clock, LEAVING_MS * attempt, this.#ports.life);
        // The value was made by the same operation in another process.
        if (value !== undefined) return value.value as OperationTypes[K]["value"];
      }
    }
  }

  /** Carries out an operation in this process. `commandId`: another process asked for it. */
  async apply<K extends OperationName>(
    kind: K,
    input: OperationTypes[K]["input"],
    commandId?: string,
  ): Promise<OperationTypes[K]["value"]> {
    const { life, resident } = this.#ports;
    const starts = STARTS_WORK.has(kind);
    const leaving = life.aborted || (starts && this.#ports.draining());
    if (leaving && commandId === undefined) throw hostDraining();
    // A process that does not stay begins nothing for another one, which can do that itself.
    const passesOn = starts && commandId !== undefined && (leaving || !resident);
    if (passesOn) await this.#returnLease();
    const value = await this.log.transact((view) => {
      if (passesOn && view.state.turn === undefined)
        throw new HostError("lease_lost", `Session ${this.id} is not driven by this process any more.`);
      return OPERATIONS[kind](input, this.#secretOpener(view))(view);
    }, commandId);
    this.#driveIfDue();
    if (kind === "interrupt") this.#interrupted(value as OperationTypes["interrupt"]["value"]);
    if (kind === "seen") this.#noteSeen((input as OperationTypes["seen"]["input"]).requestId);
    return value;
  }

  /** Keeps the state up to date, whoever drives, until the returned function is called. */
  follow(): () => void {
    return this.#watch.follow();
  }

  /** Somebody got to see an open question. */
  seen(requestId: string): void {
    if (this.#noteSeen(requestId) && !this.driving) this.run("seen", { requestId }).catch(() => undefined);
  }

  /** Goes on after a dead owner whose lease this process got. */
  async recover(lease: { readonly fence: number; readonly reserved: number | undefined }): Promise<void> {
    const turnId = `turn_${this.services.hex(8)}`;
    await this.log.adopt(lease, (view) => this.#takeUp(view, turnId));
    this.#deadlines.update(this.log.state.questions, this.services.policy().questions);
    this.#driveIfDue();
  }

  /** Runs what is left in the queue, unless somebody drives the session after all. */
  async runAbandonedQueue(): Promise<void> {
    await this.log.refresh();
    if (this.log.holdsLease || this.#ports.draining() || this.log.state.turn !== undefined) return;
    const turnId = `turn_${this.services.hex(8)}`;
    await this.log
      .transact((view) => {
        if (view.state.turn !== undefined) return { events: [], value: undefined };
        return this.#takeUp(view, turnId);
      })
      .catch((thrown: unknown) => this.#reportUnlessLost(thrown));
    this.#driveIfDue();
  }

  /** What a session without an owner needs, and the start of what is queued in it. */
  #takeUp(view: LogView, turnId: string): Decision<undefined> {
    const { clock, policy } = this.services;
    const events = recovery(view, { now: clock.now(), holdMs: policy().queue.holdMs });
    const runs = this.#ownsQueue(view.state) && !isParked(view);
    const prompt = runs ? nextPrompt(withHeld(view.state, events)) : undefined;
    if (prompt === undefined) return { events, value: undefined, lease: "give" };
    return { events: [...events, ...turnStartRows(turnId, prompt)], value: undefined, lease: "take" };
  }

  /** Lets go of a turn: a parked one is left open for another life, any other ends as interrupted. */
  async release(): Promise<void> {
    this.#cancelLeaseReturn();
    this.#turns.refuseMore();
    if (!this.driving) return await this.#returnLease();
    const parked = await this.log.transact((view) => {
      const open = isParked(view) && this.#turns.current?.stopping !== true;
      return { events: [], value: open, ...(open ? { lease: "give" as const } : {}) };
    });
    if (parked) this.#turns.current?.stop({ abandon: new HostError("draining", "The host is closing.") });
    else this.#turns.release();
    await this.settled();
    this.#cancelLeaseReturn();
    await this.#returnLease();
  }

  /** Resolves when no turn runs here. */
  settled(): Promise<void> {
    return this.#turns.settled();
  }

  /** Gives back what can be read again. */
  forget(): void {
    if (!this.driving) this.#conversation.forget();
  }

  close(): void {
    this.#deadlines.close();
    this.#watch.close();
    this.waiters.close();
  }

  /**
   * Whoever does not drive decides on a state that may be old. An append would tell; what may append nothing has to
   * look first.
   *
   * @throws LeaseHeldError
   */
  async #checkOwner(kind: OperationName): Promise<void> {
    if (this.log.holdsLease || (ALWAYS_APPENDS.has(kind) && this.log.state.turn === undefined)) return;
    await this.log.refresh();
    if (this.log.state.turn === undefined) return;
    const { store } = this.services;
    const owner = (await store.record(this.id))?.owner;
    if (owner !== undefined && owner.hostId !== store.hostId) throw new LeaseHeldError(owner);
  }

  #secretOpener({ state }: LogView): SecretOpener {
    const { current } = this.#turns;
    const questions = current?.turnId === state.turn?.turnId ? current?.questions : undefined;
    return {
      open: (requestId, sealed) => {
        const secret = questions?.open(requestId, sealed);
        if (secret !== undefined) questions?.hold(requestId, secret);
        return secret;
      },
    };
  }

  #noteSeen(requestId: string): boolean {
    const question = this.log.state.questions.find(({ request }) => request.requestId === requestId);
    if (question !== undefined) this.#deadlines.seen(question, this.services.policy().questions);
    return question !== undefined;
  }

  #onForeignAppend(): void {
    this.log.noteForeignAppend();
    const report = (thrown: unknown): void => this.#reportUnlessLost(thrown);
    // Another process wrote while this one believes that it drives: it may have been taken for dead.
    if (this.log.holdsLease)
      this.log.transact(() => ({ events: [], value: undefined, lease: "verify" })).catch(report);
    else if (this.waiters.size > 0) this.#runNext().catch(report);
  }

  /** Whether this process drives what is queued. */
  #ownsQueue({ queue }: Pick<SessionState, "queue">): boolean {
    return this.#ports.resident || queue.some(({ prompt }) => this.waiters.awaits(prompt.id));
  }

  /** Goes on with the queue when whoever drove the session has left it and somebody here waits for a prompt in it. */
  async #runNext(): Promise<void> {
    await this.log.refresh();
    const due = (state: SessionState): Prompt | undefined =>
      state.turn === undefined && this.#ownsQueue(state) ? nextPrompt(state) : undefined;
    if (this.log.holdsLease || this.#ports.draining() || due(this.log.state) === undefined) return;
    const turnId = `turn_${this.services.hex(8)}`;
    await this.log.transact(({ state }) => {
      const prompt = due(state);
      if (prompt === undefined) return { events: [], value: undefined };
      return { events: turnStartRows(turnId, prompt), value: undefined, lease: "take" };
    });
    this.#driveIfDue();
  }

  /** Rows are on their way under a lease that is held: its turn may begin, nobody else can come in between. */
  #onPlanned(rows: readonly Row[]): void {
    this.#conversation.push(rows);
    if (rows.some(({ event }) => event.type === "turn.start")) this.#driveIfDue();
  }

  #onFailed(error: HostError): void {
    this.#conversation.forget();
    const { current } = this.#turns;
    if (current !== undefined && this.log.state.turn?.turnId !== current.turnId)
      current.stop({ abandon: error });
  }

  #onRows(rows: readonly Row[], before: SessionState): void {
    this.#conversation.push(rows);
    for (const { event } of rows) if ("resolution" in event) this.#turns.current?.questions.resolved(event);
    this.waiters.onRows(rows, before.turn);
    this.#deadlines.update(this.log.state.questions, this.services.policy().questions);
  }

  #expire(requestId: string): void {
    this.apply("expire", { requestId }).catch((thrown: unknown) => this.#reportUnlessLost(thrown));
  }

  /** That another process drives is no failure: its clock runs too, and the driver here has been told. */
  #reportUnlessLost(thrown: unknown): void {
    const error = toHostError(thrown);
    if (error.code !== "lease_lost") this.services.report(error);
  }

  /** A turn that this process holds the lease for, and that nobody drives yet, is driven from here on. */
  #driveIfDue(): void {
    if (!this.log.holdsLease || this.driving || this.#ports.life.aborted) return;
    const { turn } = this.log.plannedState;
    if (turn === undefined) this.#returnLeaseLater();
    else this.#turns.start(turn.turnId);
  }

  #over(): void {
    this.#driveIfDue();
    this.#forgetIfHeavy();
  }

  /** Gives the lease back a little later, unless there is a turn again by then. */
  #returnLeaseLater(): void {
    this.#cancelLeaseReturn();
    const { keepLeaseMs, services } = this.#ports;
    this.#cancelLeaseReturn = services.clock.after(
      keepLeaseMs,
      () => void this.#returnLease().catch(() => undefined),
    );
  }

  /** Gives the lease back when no turn runs and none is queued. */
  async #returnLease(): Promise<void> {
    await this.log.transact(({ state, holdsLease }) => {
      const idle = state.turn === undefined && (nextPrompt(state) === undefined || !this.#ownsQueue(state));
      const free = holdsLease && idle;
      return { events: [], value: undefined, ...(free ? { lease: "give" as const } : {}) };
    });
    this.log.releaseMemory();
    this.#forgetIfHeavy();
  }

  /** Gives back what takes much memory, or is hardly needed: a session that no list shows has seldom another turn. */
  #forgetIfHeavy(): void {
    if (!this.log.holdsLease && (this.log.state.hidden || this.#conversation.heavy)) this.forget();
  }

  #driverPorts(): DriverPorts {
    return {
      log: this.log,
      services: this.services,
      subagents: this.#ports.subagents,
      conversation: () => this.#conversation.get(),
      preamble: this.preamble,
      draining: () => this.#ports.draining(),
      ownsQueue: (state) => this.#ownsQueue(state),
      keepLease: this.#ports.keepLeaseMs > 0,
      unsaved: (error) => this.#unsaved(error),
      life: this.#ports.life,
    };
  }

  #interrupted({ turnId }: OperationTypes["interrupt"]["value"]): void {
    if (turnId !== undefined && this.log.state.turn?.turnId === turnId) this.#turns.interrupt(turnId);
  }

  #unsaved(error: HostError): void {
    const { turn } = this.log.state;
    if (turn !== undefined) this.waiters.fail(turn.prompt.id, turn.turnId, errorRecord(error));
  }
}
