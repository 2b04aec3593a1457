import { HostError, errorRecord, toHostError } from "../../shared/errors/host-error.ts";
import { ConversationCache } from "../conversation/conversation-cache.ts";
import type { Row } from "../events/events.ts";
import type { LogView } from "../log/append-plan.ts";
import { hostDraining } from "../log/errors.ts";
import { LogWriter } from "../log/log-writer.ts";
import { SessionLog } from "../log/session-log.ts";
import { SessionWatch } from "../log/session-watch.ts";
import type { Services } from "../ports/services.ts";
import { type AnswerPorts, findQuestion } from "../questions/answer-question.ts";
import { QuestionDeadlines } from "../questions/question-deadlines.ts";
import type { SessionState } from "../state/state.ts";
import { TurnLoop } from "../turn/turn-loop.ts";
import type { DriverPorts } from "../turn/driver.ts";
import { RequestPreamble } from "../turn/request-preamble.ts";
import { type OperationInput, type OperationName, OPERATIONS, type OperationValue } from "./operations.ts";
import { appendOperation } from "./ready-operation.ts";
import { LeaseReturn } from "./lease-return.ts";
import { OwnerWatch } from "./owner-watch.ts";
import { type QueuePorts, QueueRunner } from "./queue-runner.ts";
import { isParked, waitsForAnswers } from "./recovery.ts";
import { type OperationPorts, runOperation } from "./run-operation.ts";
import { TurnWaiters } from "./turn-waiters.ts";

/** The host as one of its sessions uses it. */
export interface SessionActorPorts
  extends
    Pick<DriverPorts, "services" | "subagents" | "draining" | "life" | "line">,
    Pick<OperationPorts, "sweep">,
    Pick<QueuePorts, "resident"> {
  /** Milliseconds that the lease is kept after a turn: the next one then begins without waiting for it. */
  readonly keepLeaseMs: number;
}

/** A session at work in this process: carries out operations, here or by its owner, and drives its turns. */
export class SessionActor {
  readonly id: string;
  readonly log: SessionLog;
  readonly writer: LogWriter;
  readonly waiters: TurnWaiters;
  readonly preamble: RequestPreamble;
  readonly #ports: SessionActorPorts;
  readonly #deadlines: QuestionDeadlines;
  readonly #conversation: ConversationCache;
  readonly #turns: TurnLoop;
  /** Starts what is queued. */
  readonly queue: QueueRunner;
  readonly #watch: SessionWatch;
  readonly #ownerWatch: OwnerWatch;
  readonly #leaseReturn: LeaseReturn;

  constructor(id: string, state: SessionState, ports: SessionActorPorts) {
    this.id = id;
    this.#ports = ports;
    const { services } = ports;
    this.log = new SessionLog(id, state, {
      ports: services,
      onRows: (rows, before) => this.#onRows(rows, before),
    });
    this.writer = new LogWriter(this.log, services, {
      planned: (rows) => this.#onPlanned(rows),
      failed: (error) => this.#onFailed(error),
      leaseLost: () => this.#abandonTurn(new HostError("lease_lost", `Session ${id} was taken over.`)),
    });
    this.waiters = new TurnWaiters(this.log);
    this.preamble = new RequestPreamble(this);
    this.#conversation = new ConversationCache(this.writer);
    this.#deadlines = new QuestionDeadlines(services, (requestId) => this.#expire(requestId));
    const { log, waiters, writer } = this;
    const changed = (): void => this.#onForeignAppend();
    this.#watch = new SessionWatch({ log, services, waits: () => waiters.size > 0, changed });
    this.#ownerWatch = new OwnerWatch({
      clock: services.clock,
      needed: () => this.#watch.followed && !this.log.holdsLease && this.log.state.turn !== undefined,
      look: () => this.#lookForOwner().catch((thrown: unknown) => this.#reportUnlessLost(thrown)),
    });
    this.#leaseReturn = new LeaseReturn(services.clock, ports.keepLeaseMs, () => this.#returnLease());
    const watched = (): boolean => this.#watch.followed;
    this.queue = new QueueRunner({ ...ports, writer, waiters, watched, drive: () => this.#driveIfDue() });
    this.#turns = new TurnLoop(this.#driverPorts(), {
      over: () => (this.#driveIfDue(), this.#forgetIfHeavy()),
      report: services.report,
    });
  }

  get services(): Services {
    return this.#ports.services;
  }

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
   * Carries out an operation: here, or in the process that drives the session; from a dead one it is taken over first.
   *
   * @throws HostError what the operation throws, `session_unreachable`, `store_*`
   */
  run<K extends OperationName>(kind: K, input: OperationInput<K>): Promise<OperationValue<K>> {
    return runOperation({ ...this.#ports, log: this.log, apply: this.apply.bind(this) }, kind, input);
  }

  /** Carries out an operation in this process. `commandId`: another process asked for it, of whoever drives the session. */
  async apply<K extends OperationName>(
    kind: K,
    input: OperationInput<K>,
    commandId?: string,
  ): Promise<OperationValue<K>> {
    const { life, resident } = this.#ports;
    const starts = kind === "submit" || kind === "confirm";
    const resumes = kind === "answer" && this.#turns.refusesMore; // A turn that was left is the next process's.
    const leaving = life.aborted || ((starts || resumes) && this.#ports.draining());
    if (leaving && commandId === undefined) throw hostDraining();
    // A process that does not stay begins nothing for another one, which can do that itself.
    const passesOn = starts && commandId !== undefined && (leaving || !resident);
    if (passesOn) await this.#leaseReturn.now();
    const value = await appendOperation(
      { ...this.#ports, writer: this.writer },
      { kind, input, commandId },
      {
        decide: (view, ready, mustWait) => {
          if (commandId !== undefined && (!view.holdsLease || (passesOn && view.state.turn === undefined)))
            throw new HostError("lease_lost", `Session ${this.id} is not driven by this process any more.`);
          return OPERATIONS[kind](view, ready, { ...this.#answerPorts(view), mustWait });
        },
        appended: () => this.#driveIfDue(),
      },
    );
    if (kind === "interrupt") this.#stopTurn(value as OperationValue<"interrupt">);
    if (kind === "seen") this.#noteSeen((input as OperationInput<"seen">).requestId);
    return value;
  }

  /** Keeps the state up to date, in whichever process the turns run, until the returned function is called. */
  follow(): () => void {
    const leave = this.#watch.follow();
    this.#ownerWatch.wake();
    return leave;
  }

  /** Somebody got to see an open question. */
  seen(requestId: string): void {
    if (this.#noteSeen(requestId) && !this.driving) this.run("seen", { requestId }).catch(() => undefined);
  }

  /** Continues for an owner that is gone: with the lease that this process got from a dead one, and by the time of open questions. */
  async recover(lease?: Parameters<QueueRunner["recover"]>[0]): Promise<void> {
    await (lease === undefined ? this.refresh() : this.queue.recover(lease));
    this.#deadlines.update(this.log.state.questions);
  }

  /** Runs what is left in the queue, unless somebody drives the session after all. */
  async runAbandonedQueue(): Promise<void> {
    await this.queue.startAbandoned().catch((thrown: unknown) => this.#reportUnlessLost(thrown));
  }

  /** Stops driving: a parked turn is left open for another process, any other ends as interrupted. */
  async release(reason?: string): Promise<void> {
    this.#leaseReturn.cancel();
    this.#turns.refuseMore(reason);
    if (this.driving) await this.#turns.leave(isParked);
    await this.#leaseReturn.now();
  }

  /** Resolves when no turn runs here but one that is parked, with whether there was anything to wait for. */
  rested(): Promise<boolean> {
    return this.#turns.rested(waitsForAnswers);
  }

  /** Resolves when no turn runs here. */
  settled(): Promise<void> {
    return this.#turns.settled();
  }

  /** This process may not drive the session any more, if it does. */
  loseLease(): void {
    this.writer.loseLease();
  }

  /** Frees what can be read again. */
  forget(): void {
    if (!this.driving) this.#conversation.forget();
  }

  close(): void {
    this.#deadlines.close();
    this.#watch.close();
    this.#ownerWatch.close();
    this.waiters.close();
  }

  /** Secrets are opened for the turn in which they were asked for; nobody else has its keys. */
  #answerPorts({ state: { turn } }: LogView): AnswerPorts {
    const { current } = this.#turns;
    const opener = current?.turnId === turn?.turnId ? current?.questions : undefined;
    return { opener, ...this.#ports.services.policy() };
  }

  #noteSeen(requestId: string): boolean {
    const question = findQuestion(this.log.state, requestId);
    if (question !== undefined) this.#deadlines.seen(question);
    return question !== undefined;
  }

  #onForeignAppend(): void {
    this.log.noteForeignAppend();
    const report = (thrown: unknown): void => this.#reportUnlessLost(thrown);
    // Another process wrote although this one holds the lease: it may have been taken for dead.
    if (this.log.holdsLease)
      this.writer.transact(() => ({ events: [], value: undefined, lease: "verify" })).catch(report);
    else if (this.waiters.size > 0) this.queue.startNext().catch(report);
  }

  /** Rows are on their way under a lease that is held: its turn may begin, nobody else can come in between. */
  #onPlanned(rows: readonly Row[]): void {
    this.#conversation.push(rows);
    if (rows.some(({ event }) => event.type === "turn.start")) this.#driveIfDue();
  }

  #onFailed(error: HostError): void {
    this.#conversation.forget();
    if (this.log.state.turn?.turnId !== this.#turns.current?.turnId) this.#abandonTurn(error);
  }

  /** The turn that is driven here is left in the log as it stands. */
  #abandonTurn(error: HostError): void {
    this.#turns.current?.stop({ abandon: error });
  }

  #onRows(rows: readonly Row[], before: SessionState): void {
    this.#conversation.push(rows);
    for (const { event } of rows) if ("resolution" in event) this.#turns.current?.questions.resolved(event);
    this.waiters.onRows(rows, before.turn);
    this.#turns.noteRows();
    this.#deadlines.update(this.log.state.questions);
    this.#ownerWatch.wake();
  }

  async #lookForOwner(): Promise<void> {
    const owner = (await this.services.store.record(this.id))?.owner;
    if (owner?.alive === false) await this.#ports.sweep();
  }

  #expire(requestId: string): void {
    this.apply("expire", { requestId }).catch((thrown: unknown) => this.#reportUnlessLost(thrown));
  }

  /** Reports a failure, unless another process drives the session: its clock runs too, and the driver here has been told. */
  #reportUnlessLost(thrown: unknown): void {
    const error = toHostError(thrown);
    if (error.code !== "lease_lost") this.services.report(error);
  }

  /** Drives the turn from here on, when this process holds the lease and nobody drives the turn yet. */
  #driveIfDue(): void {
    if (!this.log.holdsLease || this.driving || this.#ports.life.aborted) return;
    const { turn } = this.writer.plannedState;
    if (turn === undefined) this.#leaseReturn.later();
    else this.#turns.start(turn.turnId);
  }

  async #returnLease(): Promise<void> {
    await this.queue.returnLease();
    this.log.releaseMemory();
    this.#forgetIfHeavy();
  }

  /** Frees a conversation that takes much memory or is hardly needed: a session that no list shows has seldom another turn. */
  #forgetIfHeavy(): void {
    if (!this.log.holdsLease && (this.log.state.hidden || this.#conversation.heavy)) this.forget();
  }

  #driverPorts(): DriverPorts {
    return {
      ...this.#ports,
      log: this.log,
      writer: this.writer,
      conversation: () => this.#conversation.get(),
      preamble: this.preamble,
      ownsQueue: (state) => this.queue.owns(state),
      keepLease: this.#ports.keepLeaseMs > 0,
      unsaved: (error) => this.waiters.fail(this.log.state.turn, errorRecord(error)),
    };
  }

  #stopTurn({ turnId, ...why }: OperationValue<"interrupt">): void {
    if (turnId !== undefined && this.log.state.turn?.turnId === turnId) this.#turns.interrupt(turnId, why);
  }
}
