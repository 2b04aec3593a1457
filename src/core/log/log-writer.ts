import { type Transaction, type PendingAppend, type AppendPlan, planAppend } from "./append-plan.ts";
import type { Clock } from "../../shared/async/clock.ts";
import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import type { DeltaEvent, Row } from "../events/events.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import { blobsIn } from "./row-codec.ts";
import { LeaseHeldError, sessionExists } from "./errors.ts";
import type { SessionState } from "../state/state.ts";
import type { AppendRequest, AppendResult, Piece, Store } from "../ports/store.ts";
import { StreamedText, type TextBatch } from "./streamed-text.ts";

export interface LogPorts {
  readonly store: Store;
  readonly clock: Clock;
  readonly redactor: () => Redactor;
  readonly observe: (session: string, row: Row) => void;
}

/** A row that is committed, with the size of its stored form. */
export interface Committed {
  readonly row: Row;
  readonly size: number;
}

/** What the writer needs of the log it writes for. */
export interface WriterHost {
  readonly id: string;
  /** After all committed rows. */
  state(): SessionState;
  /** Rows are on their way to the store, under a lease that is held. */
  planned(rows: readonly Row[]): void;
  /** Rows and pieces are in the store. */
  committed(rows: readonly Committed[], pieces: readonly Piece[], state: SessionState): void;
  /** What was on its way did not arrive. */
  failed(error: HostError): void;
  /** Reads what another process appended. */
  refresh(): Promise<void>;
  /** The lease is gone. */
  fenced(): void;
  /** The session is gone; gives the error that says so. */
  gone(): HostError;
}

/** An append on its way. */
interface Flight {
  readonly plan: AppendPlan;
  readonly text: TextBatch;
  readonly fence: number | undefined;
  readonly course: number;
}

/** Cursors beyond those in use that are never given out again when power is lost; raised in steps of this size. */
const RESERVE = 1_000_000;
/** Appends on their way at a time, while the lease is held. */
const FLIGHTS = 8;

/**
 * The one writer of a session's log in this process. Everybody who appends queues here and decides on the newest
 * state. Under a lease nobody else can append, so the next append need not wait for the last one to arrive; without
 * one it does.
 */
export class LogWriter {
  readonly #host: WriterHost;
  readonly #ports: LogPorts;
  readonly #text = new StreamedText();
  readonly #jobs: PendingAppend[] = [];
  #fence: number | undefined;
  /** The cursor after everything given out, committed or not. */
  #cursor: number;
  #waking = false;
  #preparing = false;
  #flights = 0;
  /** The store carries appends out in order; their answers are looked at in order too, however they come. */
  #arrivals: Promise<void> = Promise.resolve();
  /** State after the flights, while there are any. */
  #ahead: SessionState | undefined;
  /** The last flight changes who holds the lease. */
  #turning = false;
  /** Raised when a flight fails: those behind it fail too. */
  #course = 0;
  #lastFailure: HostError | undefined;

  constructor(host: WriterHost, ports: LogPorts) {
    this.#host = host;
    this.#ports = ports;
    this.#cursor = host.state().seq;
  }

  get driving(): boolean {
    return this.#fence !== undefined;
  }

  /** There is text that no row holds yet. */
  get streaming(): boolean {
    return this.#text.pieces.length > 0;
  }

  /** The cursor after everything that was said under the lease, also what is still on its way. */
  get cursor(): number {
    return this.driving ? this.#cursor : 0;
  }

  /** The state after everything that is on its way. */
  get ahead(): SessionState {
    return this.#ahead ?? this.#host.state();
  }

  /**
   * Goes on for a dead owner whose lease was taken over: `decide` comes before whatever else is queued.
   *
   * @param inherit - reads what the owner left: the text that it had streamed, and the cursor after it
   */
  adopt<T>(
    fence: number,
    inherit: () => Promise<{ readonly pieces: readonly Piece[]; readonly cursor: number }>,
    decide: Transaction<T>,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const prepare = async (): Promise<void> => {
      const { pieces, cursor } = await inherit();
      this.#fence = fence;
      this.#text.inherit(pieces);
      this.#cursor = cursor;
    };
    this.#jobs.unshift({
      prepare,
      decide,
      commandId: undefined,
      resolve: resolve as PendingAppend["resolve"],
      reject,
    });
    this.#wake();
    return promise;
  }

  transact<T>(decide: Transaction<T>, commandId?: string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    // The queue forgets the type of a job's value; it goes back to the promise of the same call.
    this.#jobs.push({ decide, commandId, resolve: resolve as PendingAppend["resolve"], reject });
    this.#wake();
    return promise;
  }

  /** Resolves when everything that was on its way has arrived, or has failed. */
  arrived(): Promise<void> {
    return this.#arrivals;
  }

  /** Streams text: it has its cursor now, is saved with this tick's batch, and shown once that is done. */
  delta({ type, text }: DeltaEvent): void {
    if (text === "" || this.#fence === undefined) return;
    const kind = type === "message.delta" ? "text" : "reasoning";
    this.#text.add({ cursor: this.#cursor, kind, text });
    this.#cursor += text.length;
    this.#wake();
  }

  /** Waits while more than `limit` characters of streamed text are not saved yet. */
  roomForText(limit: number, signal: AbortSignal): Promise<void> {
    return this.#text.waitForRoom(limit, signal);
  }

  #wake(): void {
    if (this.#waking) return;
    this.#waking = true;
    // What else is written in this tick goes into the same append.
    queueMicrotask(() => {
      this.#waking = false;
      this.#launch();
    });
  }

  /** Sends what can be sent now; the rest goes when a flight arrives. */
  #launch(): void {
    while (!this.#preparing && this.#mayFly()) {
      const [first] = this.#jobs;
      if (first?.prepare !== undefined) return void this.#prepare(first, first.prepare);
      const next = this.#jobs.findIndex(({ prepare }) => prepare !== undefined);
      this.#fly(this.#jobs.splice(0, next === -1 ? this.#jobs.length : next));
    }
  }

  #mayFly(): boolean {
    if (this.#jobs.length === 0 && !this.#text.hasUnsaved) return false;
    if (this.#flights === 0) return true;
    // Text alone gathers while something is under way.
    const free = this.driving && !this.#turning && this.#flights < FLIGHTS && this.#jobs.length > 0;
    return free && this.#jobs[0]?.prepare === undefined;
  }

  async #prepare(job: PendingAppend, prepare: () => Promise<void>): Promise<void> {
    this.#preparing = true;
    this.#jobs.shift();
    try {
      await prepare();
      this.#fly([job]);
    } catch (thrown) {
      job.reject(thrown);
    }
    this.#preparing = false;
    this.#wake();
  }

  #fly(jobs: readonly PendingAppend[]): void {
    const plan = planAppend(jobs, {
      state: this.ahead,
      cursor: this.#cursor,
      driving: this.driving,
      pieces: this.#text.pieces,
      clock: this.#ports.clock,
      redactor: this.#ports.redactor(),
    });
    this.#cursor = plan.cursor;
    const text = this.#text.take(plan.endsReply);
    const flight: Flight = { plan, text, fence: this.#fence, course: this.#course };
    const nothing = plan.rows.length === 0 && text.pieces.length === 0 && !plan.aboutLease;
    if (nothing && plan.results.length === 0) {
      for (const { job, value } of plan.done) job.resolve(value);
      return;
    }
    const { store } = this.#ports;
    const request = this.#request(flight, this.ahead);
    this.#flights += 1;
    this.#turning = plan.keepLease !== this.driving;
    this.#ahead = plan.state;
    const sent: Promise<AppendResult> = nothing
      ? store.answer(plan.results).then(() => ({ status: "ok", fence: flight.fence }))
      : store.append(request);
    if (this.driving && plan.rows.length > 0) this.#host.planned(plan.rows);
    sent.catch(() => undefined);
    this.#arrivals = this.#arrivals
      .then(() => sent)
      .then((result) => this.#settle(result, flight))
      .catch((thrown: unknown) => this.#fail(flight, toHostError(thrown, "store_unavailable")))
      .then(() => this.#landed());
  }

  #landed(): void {
    this.#flights -= 1;
    if (this.#flights === 0) {
      this.#ahead = undefined;
      this.#turning = false;
    }
    this.#text.appendSettled();
    this.#launch();
  }

  async #settle(result: AppendResult, flight: Flight): Promise<void> {
    const { plan, text } = flight;
    if (flight.course !== this.#course && this.#lastFailure !== undefined) throw this.#lastFailure;
    switch (result.status) {
      case "ok":
        this.#fence = result.fence;
        for (const row of plan.rows) this.#ports.observe(this.#host.id, row);
        this.#host.committed(
          plan.rows.map((row, index) => ({ row, size: plan.stored[index]?.body.length ?? 0 })),
          text.pieces,
          plan.state,
        );
        for (const { job, value } of plan.done) job.resolve(value);
        return;
      case "moved":
        this.#ahead = undefined;
        await this.#host.refresh();
        this.#jobs.unshift(...plan.done.map(({ job }) => job));
        return;
      case "owned":
        this.#ahead = undefined;
        for (const { job } of plan.done) job.reject(new LeaseHeldError(result.owner));
        return;
      case "fenced":
        this.#fence = undefined;
        this.#host.fenced();
        throw new HostError("lease_lost", `Another process took over session ${this.#host.id}.`);
      case "exists":
        throw sessionExists(this.#host.id);
      case "gone":
        throw this.#host.gone();
    }
  }

  /** The flight did not arrive: what was decided on top of it does not hold either. */
  #fail(flight: Flight, error: HostError): void {
    if (flight.course === this.#course) {
      this.#course += 1;
      this.#lastFailure = error;
      this.#ahead = undefined;
      if (this.#fence === undefined) this.#text.drop();
      else this.#text.putBack(flight.text.held);
      this.#host.failed(error);
    }
    for (const { job } of flight.plan.done) job.reject(error);
  }

  #request({ plan, text, fence }: Flight, before: SessionState): AppendRequest {
    return {
      session: this.#host.id,
      fence,
      after: { n: before.n, seq: before.seq },
      ...(before.n === 0 ? { creates: true } : {}),
      rows: plan.stored,
      pieces: text.pieces,
      clearPieces: plan.endsReply,
      ...(plan.rows.length === 0 ? {} : { state: plan.state }),
      release: !plan.keepLease,
      reserve: (Math.floor(this.#cursor / RESERVE) + 2) * RESERVE,
      blobs: plan.stored.flatMap(({ body }) => blobsIn(body)),
      results: plan.results,
    };
  }
}
