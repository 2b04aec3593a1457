import { Signal, type Listener } from "../../shared/async/signal.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { DeltaEvent, LiveEvent, Row, SessionEvent } from "../events/events.ts";
import { answerText, expand } from "./expand.ts";
import { fold } from "../state/fold.ts";
import { EphemeralState } from "./ephemeral-state.ts";
import type { Transaction } from "./append-plan.ts";
import { type Committed, type LogPorts, LogWriter, type WriterHost } from "./log-writer.ts";
import { decodeRow } from "./row-codec.ts";
import { sessionDamaged, sessionNotFound } from "./errors.ts";
import { goesOn } from "./same-log.ts";
import { SharedReads } from "./shared-reads.ts";
import type { SessionState } from "../state/state.ts";
import type { Piece, Snapshot } from "../ports/store.ts";
import { LogWindow } from "./window.ts";

const PAGE_ROWS = 500;

/** A reader's place in a log. */
export interface ReadPosition {
  /** The cursor of the last event it got. */
  after: number;
  /** How many foreign moves it has seen; see `SessionLog.moved`. */
  moves: number;
}

/** Told of what happens to a log, whoever wrote it. */
export interface LogListener {
  /** Every row once, in order, after it is committed; `before` is the state that they changed. */
  rows(rows: readonly Row[], before: SessionState): void;
  /** Rows that this process is sending under its lease; they come again in `rows`, or `failed` tells of them. */
  planned(rows: readonly Row[]): void;
  failed(error: HostError): void;
  /** Another process took the session over. */
  fenced(): void;
}

/** One session's log as this process sees it: its state, its newest events, and the way to the older ones. */
export class SessionLog {
  readonly id: string;
  readonly live = new EphemeralState();
  readonly #ports: LogPorts;
  readonly #changed = new Signal();
  readonly #writer: LogWriter;
  readonly #window: LogWindow;
  readonly #listener: LogListener;
  #state: SessionState;
  #gone = false;
  #moves = 0;
  readonly #reads: SharedReads;

  constructor(
    id: string,
    state: SessionState,
    wiring: { readonly ports: LogPorts; readonly listener: LogListener },
  ) {
    this.id = id;
    this.#state = state;
    this.#ports = wiring.ports;
    this.#listener = wiring.listener;
    this.#window = new LogWindow(state.seq);
    this.#reads = new SharedReads(wiring.ports.clock);
    this.#writer = new LogWriter(this.#writerHost(), wiring.ports);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** The state after what is on its way to the store: for whoever drives, and nobody else. */
  get plannedState(): SessionState {
    return this.#writer.ahead;
  }

  /** This process holds the lease. */
  get holdsLease(): boolean {
    return this.#writer.driving;
  }

  /** The session was deleted. Another one may have its id by now: this log stands for neither. */
  get gone(): boolean {
    return this.#gone;
  }

  /** A reply has said something that no row holds yet. */
  get streaming(): boolean {
    return this.#writer.streaming;
  }

  /** The cursor of the newest event that readers may see. */
  get cursor(): number {
    return Math.max(this.#window.shown, this.#state.seq);
  }

  /**
   * Appends what `decide` wants, in turn with all other writers of this session, and resolves with its value once
   * the rows are committed.
   *
   * @param commandId - a command of another process that this carries out: its answer is part of the commit
   * @throws whatever `decide` throws, and then nothing is appended; HostError `lease_lost` (`LeaseHeldError` where
   * the owner is known), `session_not_found`, `store_*`
   */
  transact<T>(decide: Transaction<T>, commandId?: string): Promise<T> {
    return this.#writer.transact(decide, commandId);
  }

  /** Resolves when nothing that was on its way to the store is any more. */
  appendsSettled(): Promise<void> {
    return this.#writer.arrived();
  }

  /** Streams text of the running reply; only while driving. */
  delta(event: DeltaEvent): void {
    this.#writer.delta(event);
  }

  roomForText(limit: number, signal: AbortSignal): Promise<void> {
    return this.#writer.roomForText(limit, signal);
  }

  /** Shows what is in no log. */
  post(event: LiveEvent): void {
    this.live.post(event, { at: this.#ports.clock.now(), behind: this.#writer.cursor });
    this.#changed.notify();
  }

  /**
   * Goes on for a dead owner, under its lease and after the text that it streamed.
   *
   * @param lease - with `reserved`, where cursors go on when the owner died with the machine's power
   */
  adopt<T>(
    lease: { readonly fence: number; readonly reserved: number | undefined },
    decide: Transaction<T>,
  ): Promise<T> {
    const inherit = async (): Promise<{ pieces: readonly Piece[]; cursor: number }> => {
      await this.refresh();
      const { pieces } = await this.#page(this.#state.seq);
      this.#window.addPieces(pieces);
      const ends = pieces.map(({ cursor, text }) => cursor + text.length);
      return { pieces, cursor: Math.max(this.#state.seq, lease.reserved ?? 0, ...ends) };
    };
    return this.#writer.adopt(lease.fence, inherit, decide);
  }

  /** Nothing happens here any more: older events are read from the store from now on. */
  releaseMemory(): void {
    this.#reads.forget();
    if (!this.holdsLease) this.#window.clear();
  }

  /** Another process appended. Readers look into the store; the state follows with `refresh`. */
  noteForeignAppend(): void {
    if (this.holdsLease) return;
    this.#moves += 1;
    this.#changed.notify();
  }

  /** The session was deleted: readers and writers learn it. */
  markDeleted(): HostError {
    // One that is only about to be made is not gone.
    this.#gone = this.#state.n > 0;
    this.#changed.notify();
    return sessionNotFound(this.id);
  }

  /** Reads and folds what another process appended. */
  async refresh(): Promise<void> {
    for (;;) {
      const known = this.#state;
      const page = await this.#page(known.seq);
      if (page.damagedAt !== undefined) throw sessionDamaged(this.id, page.damagedAt);
      if (!goesOn(page, known)) throw this.markDeleted();
      this.#takeOver(page);
      if (!page.more) return;
    }
  }

  /** What a reader waits with, until `signal` aborts. */
  listen(signal?: AbortSignal): Listener {
    return this.#changed.listen(signal);
  }

  /** Whether there may be something after a position that a reader has not seen. */
  hasMore(position: ReadPosition): boolean {
    return this.#gone || position.moves !== this.#moves || position.after < this.cursor;
  }

  /**
   * The events after a position that are there already, at most a page of rows, oldest first; empty at the end.
   * The position moves along.
   *
   * @throws HostError `session_damaged` when the next row cannot be read, `session_not_found`
   */
  async read(position: ReadPosition): Promise<readonly SessionEvent[]> {
    if (this.#gone) throw sessionNotFound(this.id);
    const { after } = position;
    const foreign = position.moves !== this.#moves;
    position.moves = this.#moves;
    let events: readonly SessionEvent[];
    if (this.#window.covers(after) && (this.holdsLease || !foreign)) {
      events = await this.#fromWindow(after);
    } else {
      events = await this.#reads.stored(after, () => this.#readStore(after));
    }
    position.after = events.at(-1)?.seq ?? after;
    return events;
  }

  #fromWindow(after: number): Promise<readonly SessionEvent[]> {
    return this.#reads.newest({ after, changes: this.#window.changes }, () => {
      const { rows, pieces } = this.#window.after(after);
      return rows.length === 0 && pieces.length === 0 ? NOTHING : this.#expand(rows, pieces, after);
    });
  }

  async #readStore(after: number): Promise<readonly SessionEvent[]> {
    const page = await this.#page(after);
    if (!this.holdsLease) this.#takeOver(page);
    if (page.rows.length === 0 && page.damagedAt !== undefined) throw sessionDamaged(this.id, page.damagedAt);
    return await this.#expand(page.rows.map(decodeRow), page.pieces, after);
  }

  /** All rows in `(after, to]`. */
  async rows(after: number, to: number): Promise<readonly Row[]> {
    if (this.#window.covers(after)) return this.#window.after(after).rows.filter(({ seq }) => seq <= to);
    const rows: Row[] = [];
    for (let from = after; ;) {
      const page = await this.#page(from);
      for (const row of page.rows) if (row.seq <= to) rows.push(decodeRow(row));
      from = page.rows.at(-1)?.seq ?? to;
      if (page.damagedAt !== undefined && from < to) throw sessionDamaged(this.id, page.damagedAt);
      if (!page.more || from >= to) return rows;
    }
  }

  async #page(after: number): Promise<Snapshot> {
    const page = await this.#ports.store.read(this.id, { after, limit: PAGE_ROWS });
    if (page === undefined) throw this.markDeleted();
    return page;
  }

  /** Folds the rows of a page that are news, when they follow what is known. */
  #takeOver(page: Snapshot): void {
    const rows: Committed[] = [];
    let state = this.#state;
    for (const stored of page.rows) {
      if (stored.n !== state.n + 1) continue;
      const row = decodeRow(stored);
      state = fold(state, row);
      rows.push({ row, size: stored.body.length });
    }
    if (rows.length > 0) this.#commit(rows, [], state);
  }

  #commit(rows: readonly Committed[], pieces: readonly Piece[], state: SessionState): void {
    const before = this.#state;
    this.#state = state;
    const endsReply = rows.some(({ row }) => row.event.type === "reply.complete");
    this.#window.addRows(rows, endsReply);
    this.#window.addPieces(pieces);
    for (const { row } of rows) this.#settleLive(row);
    if (rows.length > 0)
      this.#listener.rows(
        rows.map(({ row }) => row),
        before,
      );
    this.#changed.notify();
  }

  #settleLive({ event }: Row): void {
    if (event.type === "tool.complete") this.live.settle(event.callId);
    if (event.type === "subagent.start") this.live.announced(event.subagentId);
    if (event.type === "subagent.complete") this.live.settleSubagent(event.subagentId);
  }

  async #expand(
    rows: readonly Row[],
    pieces: readonly Piece[],
    after: number,
  ): Promise<readonly SessionEvent[]> {
    const answers = new Map<number, string>();
    for (const { seq, event } of rows) {
      if (event.type !== "message.complete" || seq <= after) continue;
      // What a turn said is read again only when the page does not begin before the turn.
      const said = event.from >= after ? rows : await this.rows(event.from, seq);
      answers.set(seq, answerText(said, event.from, seq));
    }
    const now = this.#ports.clock.now();
    return expand({ rows, pieces, after, now }, ({ seq }) => answers.get(seq) ?? "");
  }

  #writerHost(): WriterHost {
    return {
      id: this.id,
      state: () => this.#state,
      committed: (rows, pieces, state) => {
        // A reader may have fetched the rows from the store before the store's answer to their writer was here.
        const fresh = rows.filter(({ row }) => row.n > this.#state.n);
        this.#commit(fresh, pieces, state.n > this.#state.n ? state : this.#state);
      },
      planned: (rows) => this.#listener.planned(rows),
      failed: (error) => this.#listener.failed(error),
      refresh: () => this.refresh(),
      gone: () => this.markDeleted(),
      fenced: () => {
        this.#window.dropPieces();
        this.live.clear();
        this.#moves += 1;
        this.#listener.fenced();
        this.#changed.notify();
      },
    };
  }
}

const NOTHING: Promise<readonly SessionEvent[]> = Promise.resolve([]);
