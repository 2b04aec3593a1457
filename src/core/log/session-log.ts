import type { Clock } from "../../shared/async/clock.ts";
import { Signal, type Listener } from "../../shared/async/signal.ts";
import type { HostError } from "../../shared/errors/host-error.ts";
import type { LiveEvent, Row } from "../events/events.ts";
import type { Peers } from "../ports/peers.ts";
import type { Head, Piece, Snapshot, Store } from "../ports/store.ts";
import { fold } from "../state/fold.ts";
import type { SessionState } from "../state/state.ts";
import { EphemeralState } from "./ephemeral-state.ts";
import { sessionDamaged, sessionNotFound } from "./errors.ts";
import { answerText, endsTurnBefore, expand, type Slice } from "./expand.ts";
import { decodeRow } from "./row-codec.ts";
import { ReadAhead } from "./read-ahead.ts";
import type { ReadPosition } from "./read-position.ts";
import { RecentRows } from "./recent-rows.ts";
import { type EventPage, SharedReads } from "./shared-reads.ts";
import { type CommittedRow, LogWindow } from "./window.ts";

const PAGE_ROWS = 500;

/** The parts of the host that a log reads with. */
export interface LogPorts {
  readonly store: Pick<Store, "read">;
  readonly clock: Clock;
  readonly peers?: Peers;
}

/** A listener that gets every committed row once, in order, from whichever process; `before` is the state before the rows. */
export type RowListener = (rows: readonly Row[], before: SessionState) => void;

/**
 * One session's committed log as this process sees it: its state, its newest events, and the way to the older ones.
 * Readers pull from it. `LogWriter` is handed it and adds what it has committed.
 */
export class SessionLog {
  readonly id: string;
  /** The events that are shown and are in no log. */
  readonly live = new EphemeralState();
  /** The fencing token of the lease, while this process holds it. Only the writer sets it. */
  fence: number | undefined;
  readonly #ports: LogPorts;
  readonly #onRows: RowListener;
  readonly #changed = new Signal();
  /** Its newest events. */
  readonly window: LogWindow;
  readonly #reads: SharedReads;
  readonly #recent: RecentRows;
  #state: SessionState;
  #gone = false;
  #foreignAppends = 0;

  constructor(
    id: string,
    state: SessionState,
    { ports, onRows }: { readonly ports: LogPorts; readonly onRows: RowListener },
  ) {
    this.id = id;
    this.#state = state;
    this.#ports = ports;
    this.#onRows = onRows;
    this.window = new LogWindow(state.seq);
    this.#reads = new SharedReads(ports.clock);
    this.#recent = new RecentRows(ports.clock);
  }

  get state(): SessionState {
    return this.#state;
  }

  /** This process holds the lease: nobody else appends, and the window has the newest events. */
  get holdsLease(): boolean {
    return this.fence !== undefined;
  }

  /** The session was deleted. Another one may have its id by now: this log stands for neither. */
  get gone(): boolean {
    return this.#gone;
  }

  /** The cursor of the newest event that readers may see. */
  get cursor(): number {
    return Math.max(this.window.shown, this.#state.seq);
  }

  /** Adds what this process has committed, and wakes the readers. */
  commit(rows: readonly CommittedRow[], pieces: readonly Piece[], state: SessionState): void {
    // A reader may have fetched the rows from the store before the store's answer to their writer was here.
    const fresh = rows.filter(({ row }) => row.n > this.#state.n);
    this.#add(fresh, pieces, state.n > this.#state.n ? state : this.#state);
  }

  /**
   * Shows an event that is in no log.
   *
   * @param behind - the cursor of what had been said by then; readers get that first
   */
  show(event: LiveEvent, behind: number): void {
    this.live.post(event, { at: this.#ports.clock.now(), behind });
    this.#changed.notify();
  }

  /** Another process took the lease: the text that streamed here is not part of the log. */
  loseLease(): void {
    this.fence = undefined;
    this.window.dropPieces();
    this.live.clear();
    this.#foreignAppends += 1;
    this.#changed.notify();
  }

  /** Reads what a dead owner left, and gives the text that it had streamed; `cursor` is then after that text. */
  async inheritText(): Promise<readonly Piece[]> {
    await this.refresh();
    const { pieces } = await this.#page(this.#state.seq);
    this.window.addPieces(pieces);
    return pieces;
  }

  /** Frees memory when nothing happens here any more: older events are read from the store from now on. */
  releaseMemory(): void {
    this.#reads.forget();
    if (!this.holdsLease) this.window.clear();
  }

  /** Another process appended. Readers look into the store; the state follows with `refresh`. */
  noteForeignAppend(): void {
    if (this.holdsLease) return;
    this.#foreignAppends += 1;
    this.#changed.notify();
  }

  /** The session was deleted: readers and writers learn it. Gives the error that says so. */
  markDeleted(): HostError {
    // One that is only about to be made is not gone.
    this.#gone = this.#state.n > 0;
    this.#recent.forget();
    this.#changed.notify();
    return sessionNotFound(this.id);
  }

  /** Reads and folds what another process appended. */
  async refresh(): Promise<void> {
    for (;;) {
      const known = this.#state;
      const page = await this.#page(known.seq);
      if (page.damagedAt !== undefined) throw sessionDamaged(this.id, page.damagedAt);
      if (!continuesLog(page, known)) throw this.markDeleted();
      this.#addForeign(page);
      if (!page.more) return;
    }
  }

  /** A listener that a reader waits with, until `signal` aborts. */
  listen(signal?: AbortSignal): Listener {
    return this.#changed.listen(signal);
  }

  /** Says whether there may be something after a position that a reader has not seen. */
  hasMore(position: ReadPosition): boolean {
    return this.#gone || position.foreignAppends !== this.#foreignAppends || position.after < this.cursor;
  }

  /**
   * The events after a position that are there already, at most a page of rows, oldest first; empty at the end. They are a
   * promise only when the store has to be read: who keeps up with a stream need not wait. The position moves along.
   *
   * @throws HostError `session_damaged` when the next row cannot be read, `session_not_found`
   */
  read(position: ReadPosition): EventPage | Promise<EventPage> {
    if (this.#gone) throw sessionNotFound(this.id);
    const { after } = position;
    const isForeign = position.foreignAppends !== this.#foreignAppends;
    position.foreignAppends = this.#foreignAppends;
    const events =
      this.window.covers(after) && (this.holdsLease || !isForeign)
        ? this.#fromWindow(after)
        : this.#reads.stored(after, () => this.#readStore(position));
    return events instanceof Promise
      ? events.then((read) => movedTo(position, read))
      : movedTo(position, events);
  }

  /** All rows in `(after, to]`; those past the end that is known here are only in the store. */
  async rows(after: number, to: number): Promise<readonly Row[]> {
    const rows = [...this.#recent.between(after, to)];
    const ahead = new ReadAhead(PAGE_ROWS);
    for (let from = rows.at(-1)?.seq ?? after; from < to;) {
      if (this.window.covers(from) && to <= this.#state.seq)
        return [...rows, ...this.window.after(from).rows.filter(({ seq }) => seq <= to)];
      const page = await this.#nextPage(from, ahead, to);
      from = page.rows.at(-1)?.seq ?? to;
      if (page.damagedAt !== undefined && from < to) throw sessionDamaged(this.id, page.damagedAt);
      for (const row of page.rows) if (row.seq <= to) rows.push(decodeRow(row));
      if (!page.more) break;
    }
    return rows;
  }

  /** Keeps the rows from the log's beginning, which somebody has just read, for the conversation of the next turn. */
  readonly keepRows = (rows: readonly Row[]): void => this.#recent.add(0, rows);

  /** Frees the rows that were kept. */
  readonly forgetRows = (): void => this.#recent.forget();

  #fromWindow(after: number): EventPage | Promise<EventPage> {
    return this.#reads.newest({ after, changes: this.window.changes }, () => {
      const { rows, pieces } = this.window.after(after);
      return rows.length === 0 && pieces.length === 0 ? NOTHING : this.#expand(rows, pieces, after);
    });
  }

  async #readStore({ after, ahead, keepsRows }: ReadPosition): Promise<EventPage> {
    const page = await this.#nextPage(after, ahead);
    if (!this.holdsLease) this.#addForeign(page);
    if (page.rows.length === 0 && page.damagedAt !== undefined) throw sessionDamaged(this.id, page.damagedAt);
    const rows = page.rows.map(decodeRow);
    if (keepsRows === true) this.#recent.add(after, rows);
    return await this.#expand(rows, page.pieces, after);
  }

  /** Reads a page, and begins to read the one behind it if a reader is to come there. */
  async #nextPage(after: number, ahead?: ReadAhead, to = Infinity): Promise<Snapshot> {
    const foreignAppends = this.#foreignAppends;
    const near = to === Infinity && !this.holdsLease ? this.#ports.peers?.read(this.id, after) : undefined;
    const read = (from: number): Promise<Snapshot> => this.#page(from, ahead?.nextLength());
    const page = near ?? (await (ahead?.take({ after, foreignAppends }) ?? read(after)));
    const end = page.rows.at(-1)?.seq ?? Infinity;
    if (page.more && end < to) ahead?.begin({ after: end, foreignAppends }, read(end));
    return page;
  }

  async #page(after: number, limit = PAGE_ROWS): Promise<Snapshot> {
    const page = await this.#ports.store.read(this.id, { after, limit });
    if (page === undefined) throw this.markDeleted();
    return page;
  }

  /** Folds the new rows of a page, when they follow what is known. */
  #addForeign(page: Snapshot): void {
    const rows: CommittedRow[] = [];
    let state = this.#state;
    for (const stored of page.rows) {
      if (stored.n !== state.n + 1) continue;
      const row = decodeRow(stored);
      state = fold(state, row);
      rows.push({ row, size: stored.body.length });
    }
    if (rows.length === 0) return;
    this.#add(rows, [], state);
    // The text before a row inside a reply is in the store alone: who has not come so far reads both there.
    if (page.rows.at(-1)?.mid === true) this.window.clear();
  }

  #add(committed: readonly CommittedRow[], pieces: readonly Piece[], state: SessionState): void {
    const before = this.#state;
    this.#state = state;
    const rows = committed.map(({ row }) => row);
    const endsReply = rows.some(({ event }) => event.type === "reply.complete");
    this.window.addRows(committed, endsReply);
    this.window.addPieces(pieces);
    for (const { event } of rows) this.live.settleBy(event);
    if (rows.length > 0) this.#onRows(rows, before);
    this.#changed.notify();
  }

  #expand(rows: readonly Row[], pieces: readonly Piece[], after: number): EventPage | Promise<EventPage> {
    const slice = { rows, pieces, after, now: this.#ports.clock.now() };
    // The replies of a turn are read again only when the page does not begin before the turn.
    const cut = rows.some(({ seq, event }) => seq > after && endsTurnBefore(event, after));
    return cut ? this.#answersIn(slice).then((answers) => expand(slice, answers)) : expand(slice, NO_ANSWERS);
  }

  async #answersIn({ rows, after }: Slice): Promise<ReadonlyMap<number, string>> {
    const answers = new Map<number, string>();
    for (const { seq, event } of rows)
      if (seq > after && endsTurnBefore(event, after))
        answers.set(seq, answerText(await this.rows(event.from, seq), event.from, seq));
    return answers;
  }
}

const NOTHING: EventPage = [];
const NO_ANSWERS: ReadonlyMap<number, string> = new Map();

function movedTo(position: ReadPosition, events: EventPage): EventPage {
  position.after = events.at(-1)?.seq ?? position.after;
  return events;
}

/**
 * Whether what was read after the known end of a log goes on with it. A log never gets shorter: one that does not go on
 * is another session's, which got the id of one that was deleted.
 */
function continuesLog({ rows, head }: Snapshot, known: Head): boolean {
  const [next] = rows;
  return next === undefined ? head.n === known.n && head.seq === known.seq : next.n === known.n + 1;
}
