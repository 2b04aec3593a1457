import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { DeltaEvent, LiveEvent } from "../events/events.ts";
import type { AppendResult } from "../ports/store.ts";
import type { SessionState } from "../state/state.ts";
import { type PendingAppend, pendingAppend, planAppend, requestOf, type Transaction } from "./append-plan.ts";
import { LeaseHeldError, sessionExists } from "./errors.ts";
import type { BegunAppend, InFlightAppend } from "./in-flight-append.ts";
import type { SessionLog } from "./session-log.ts";
import type { StreamedText } from "./streamed-text.ts";
import { TextSaver } from "./text-saver.ts";
import { CommandsWithdrawnError, settleDecided } from "./withdrawn-commands.ts";
import type { AdoptedLease, WriterListener, WriterPorts } from "./writer-ports.ts";

/** Appends on their way at a time, while the lease is held. */
const MAX_IN_FLIGHT = 8;

/**
 * The one writer of a session's log in this process. Everybody who appends queues here and decides on the newest state. Under a
 * lease nobody else can append, so the next append need not wait until the last one has arrived; without one it waits.
 */
export class LogWriter {
  readonly log: SessionLog;
  readonly #ports: WriterPorts;
  readonly #listener: WriterListener;
  readonly #saver: TextSaver;
  readonly #text: StreamedText;
  readonly #pending: PendingAppend[] = [];
  /** The cursor after everything given out, committed or not. */
  #cursor: number;
  #launchScheduled = false;
  #preparing = false;
  /** In their order. */
  readonly #inFlight: InFlightAppend[] = [];
  /** The store carries appends out in order; their answers are looked at in order too, however they come. */
  #settled: Promise<void> = Promise.resolve();
  /** The state after the appends in flight, while there are any. */
  #planned: SessionState | undefined;
  /** The last append in flight changes who holds the lease. */
  #changesLease = false;
  /** Raised when an append fails: those that were planned on top of it fail too. */
  #epoch = 0;
  #lastFailure: HostError | undefined;
  /** To be decided again when nothing is in flight any more. */
  readonly #again: PendingAppend[] = [];

  constructor(log: SessionLog, ports: WriterPorts, listener: WriterListener) {
    this.log = log;
    this.#ports = ports;
    this.#listener = listener;
    this.#cursor = log.state.seq;
    this.#saver = new TextSaver({
      log,
      store: ports.store,
      isBusy: () => this.#inFlight.length > 0 || this.#preparing,
      launch: () => this.#launch(),
    });
    this.#text = this.#saver.text;
  }

  /** The state after everything that is on its way to the store: for the process that drives the session, and no other. */
  get plannedState(): SessionState {
    return this.#planned ?? this.log.state;
  }

  /** A reply has streamed text that no row holds yet. */
  get hasStreamedText(): boolean {
    return this.#text.pieces.length > 0;
  }

  /**
   * Appends what `decide` wants, in turn with all other writers of this session, and resolves with its value once
   * the rows are committed.
   *
   * @param commandId - a command of another process that this carries out: its answer is part of the commit
   * @param prepare - done before the decision, while nothing else is appended here; when it throws, nothing is decided
   * @throws whatever `decide` throws, and then nothing is appended; HostError `lease_lost` (`LeaseHeldError` where the owner is known),
   *   `session_not_found`, `store_*`
   */
  transact<T>(decide: Transaction<T>, commandId?: string, prepare?: () => Promise<void>): Promise<T> {
    const { promise, kept: _kept, ...waiting } = pendingAppend(decide);
    this.#pending.push({ ...waiting, commandId, ...(prepare && { prepare }) });
    this.#scheduleLaunch();
    return promise;
  }

  /** Does the same for who tells no person of it yet: such work need not wait for the disk, where a kill alone loses nothing. */
  begin(decide: Transaction<void>): BegunAppend {
    const { promise: committed, kept, ...waiting } = pendingAppend(decide);
    this.#pending.push({ ...waiting, commandId: undefined });
    this.#scheduleLaunch();
    return { written: Promise.race([kept, committed]), committed };
  }

  /** Continues for a dead owner, under its lease and after the text that it streamed, before whatever else is queued. */
  adopt<T>(lease: AdoptedLease, decide: Transaction<T>): Promise<T> {
    const { promise, kept: _kept, ...waiting } = pendingAppend(decide);
    this.#pending.unshift({ ...waiting, prepare: () => this.#inherit(lease), commandId: undefined });
    this.#scheduleLaunch();
    return promise;
  }

  /** Resolves when no append is in flight any more, however they went. */
  settled(): Promise<void> {
    return this.#settled;
  }

  /** Streams text: it has its cursor now, is saved, and shown once that is done. */
  stream({ type, text }: DeltaEvent): void {
    if (text === "" || !this.log.holdsLease) return;
    const kind = type === "message.delta" ? "text" : "reasoning";
    const piece = { cursor: this.#cursor, kind, text } as const;
    this.#cursor += text.length;
    this.#saver.add(piece);
  }

  /** Waits while more than `limit` characters of streamed text are not saved yet; `undefined` when there is room. */
  waitForRoom(limit: number, signal: AbortSignal): Promise<void> | undefined {
    return this.#text.waitForRoom(limit, signal);
  }

  /** The lease is lost, though no append was told so yet: whatever is on its way does not hold. */
  loseLease(): void {
    if (!this.log.holdsLease) return;
    this.#epoch += 1;
    const message = `This process was cut off from session ${this.log.id}.`;
    this.#lastFailure = new HostError("lease_lost", message, { details: { uncertain: true } });
    this.#planned = undefined;
    // Rows that were planned are in no log: others will have their numbers.
    this.#listener.failed(this.#lastFailure);
    this.#takenOver();
  }

  /** Shows an event that is in no log, after everything that was said before it. */
  show(event: LiveEvent): void {
    this.log.show(event, this.log.holdsLease ? this.#cursor : 0);
  }

  async #inherit({ fence, reserved }: AdoptedLease): Promise<void> {
    const pieces = await this.log.inheritText();
    // Its queue may begin a turn.
    await this.#ports.personas?.refresh?.({ id: this.log.id, state: this.log.state });
    this.log.fence = fence;
    this.#text.inherit(pieces);
    this.#cursor = Math.max(this.log.cursor, reserved ?? 0);
  }

  #scheduleLaunch(): void {
    if (this.#launchScheduled) return;
    this.#launchScheduled = true;
    // Everything that is written in this tick goes into the same append.
    queueMicrotask(() => {
      this.#launchScheduled = false;
      this.#launch();
    });
  }

  /** Sends what can be sent now; the rest goes when an append has settled. */
  #launch(): void {
    this.#saver.save();
    while (!this.#preparing && this.#mayLaunch()) {
      const [first] = this.#pending;
      if (first?.prepare !== undefined) return void this.#prepare(first, first.prepare);
      const next = this.#pending.findIndex(({ prepare }) => prepare !== undefined);
      this.#append(this.#pending.splice(0, next === -1 ? this.#pending.length : next));
    }
  }

  #mayLaunch(): boolean {
    if (this.#pending.length === 0 && !this.#text.hasUnsaved) return false;
    if (this.#inFlight.length === 0 || this.#again.length > 0) return this.#inFlight.length === 0;
    // Text alone gathers while something is under way.
    const isFree = this.log.holdsLease && !this.#changesLease && this.#inFlight.length < MAX_IN_FLIGHT;
    return isFree && this.#pending.length > 0 && this.#pending[0]?.prepare === undefined;
  }

  async #prepare(pending: PendingAppend, prepare: () => Promise<void>): Promise<void> {
    this.#preparing = true;
    this.#pending.shift();
    try {
      await prepare();
      this.#append([pending]);
    } catch (thrown) {
      pending.reject(thrown);
    }
    this.#preparing = false;
    this.#scheduleLaunch();
  }

  /** Plans one append for all who wait, and sends it. */
  #append(pending: readonly PendingAppend[]): void {
    const { holdsLease, fence } = this.log;
    const before = this.plannedState;
    const plan = planAppend(pending, {
      state: before,
      cursor: this.#cursor,
      holdsLease,
      pieces: this.#text.pieces,
      clock: this.#ports.clock,
      redactor: this.#ports.redactor(),
      personaOf: (state) => this.#ports.personas?.of({ id: this.log.id, state }),
    });
    this.#cursor = plan.cursor;
    const text = this.#text.take(plan.endsReply);
    const changesNothing = plan.rows.length === 0 && text.pieces.length === 0 && !plan.aboutLease;
    if (changesNothing && plan.results.length === 0) return settleDecided(plan);
    const append: InFlightAppend = { plan, text, textIsShown: false, fence, epoch: this.#epoch };
    this.#inFlight.push(append);
    this.#changesLease = plan.keepsLease !== holdsLease;
    this.#planned = plan.state;
    const sent: Promise<AppendResult> = changesNothing
      ? this.#ports.store.answer(plan.results).then((withdrawn) => ({ status: "ok", fence, withdrawn }))
      : this.#ports.store.append(requestOf(plan, { session: this.log.id, fence, before, text }));
    if (holdsLease && plan.rows.length > 0) this.#listener.planned(plan.rows);
    sent.catch(() => undefined);
    this.#settled = this.#settled
      .then(() => sent)
      .then((result) => this.#accept(result, append))
      .catch((thrown: unknown) => this.#fail(append, toHostError(thrown, "store_unavailable")))
      .then(() => this.#onSettled());
  }

  /** @throws HostError when the append does not hold */
  async #accept(result: AppendResult, { plan, text, textIsShown, epoch }: InFlightAppend): Promise<void> {
    if (epoch !== this.#epoch && this.#lastFailure !== undefined) throw this.#lastFailure;
    const { id } = this.log;
    switch (result.status) {
      case "ok":
        this.log.fence = result.fence;
        for (const row of plan.rows) this.#ports.observe(id, row);
        this.log.commit(
          plan.rows.map((row, index) => ({ row, size: plan.stored[index]?.body.length ?? 0 })),
          textIsShown ? [] : text.pieces,
          plan.state,
        );
        settleDecided(plan, result.withdrawn);
        // The rows were committed, but the answer was so late that somebody else has the session.
        if (plan.keepsLease && result.fence === undefined) this.#takenOver();
        return;
      case "withdrawn":
        throw new CommandsWithdrawnError(result.commands);
      case "moved":
        this.#planned = undefined;
        await this.log.refresh();
        this.#pending.unshift(...plan.decided.map(({ pending }) => pending));
        return;
      case "owned":
        this.#planned = undefined;
        for (const { pending } of plan.decided) pending.reject(new LeaseHeldError(result.owner));
        return;
      case "fenced":
        this.#takenOver();
        throw new HostError("lease_lost", `Another process took over session ${id}.`);
      case "exists":
        throw sessionExists(id);
      case "gone":
        throw this.log.markDeleted();
    }
  }

  #takenOver(): void {
    this.#text.drop();
    this.log.loseLease();
    this.#listener.leaseLost();
  }

  /** The append did not arrive: what was planned on top of it does not hold either. */
  #fail({ plan, text, textIsShown, epoch }: InFlightAppend, error: HostError): void {
    if (epoch === this.#epoch) {
      this.#epoch += 1;
      this.#lastFailure = error;
      this.#planned = undefined;
      if (!this.log.holdsLease) this.#text.drop();
      this.#listener.failed(error);
    }
    const isRefused = error instanceof CommandsWithdrawnError;
    if (this.log.holdsLease) this.#text.putBack(text, isRefused && !textIsShown);
    if (isRefused) this.#again.push(...error.rest(plan));
    else for (const { pending } of plan.decided) pending.reject(error);
  }

  #onSettled(): void {
    this.#inFlight.shift();
    if (this.#inFlight.length === 0) {
      this.#planned = undefined;
      this.#changesLease = false;
      this.#pending.unshift(...this.#again.splice(0));
    }
    this.#saver.showAhead(this.#inFlight[0], this.#epoch);
    this.#text.settle();
    this.#launch();
  }
}
