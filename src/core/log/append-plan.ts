import type { Clock } from "../../shared/async/clock.ts";
import type { DurableEvent, Row } from "../events/events.ts";
import type { Segment } from "../events/reply.ts";
import { joinPieces } from "./expand.ts";
import { fold } from "../state/fold.ts";
import { wellFormedJson } from "../../shared/json/json.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import { blobsIn, decodeRow, encodeRow } from "./row-codec.ts";
import type { SessionState } from "../state/state.ts";
import type { AppendRequest, CommandResult, Piece } from "../ports/store.ts";
import type { StoredRow } from "../ports/stored-row.ts";
import type { TextBatch } from "./streamed-text.ts";
import { type PersonaChoice, personaEvents } from "./turn-persona.ts";

/** The session as a decision sees it. */
export interface LogView {
  readonly state: SessionState;
  /** This process holds the lease, or takes it with what was decided just before. */
  readonly holdsLease: boolean;
  /** The text of the reply that streams. */
  readonly segments: () => readonly Segment[];
}

/** The rows that are to be appended, and the value that the caller gets once they are. */
export interface Decision<T> {
  readonly events: readonly DurableEvent[];
  readonly value: T;
  /**
   * `take`: this process drives the session from now on; `give`: it does no longer. `verify`: the store is asked
   * even when there is nothing to append. Without a word the lease stays as it is, and an append that had to take it
   * gives it back in the same transaction.
   */
  readonly lease?: "take" | "give" | "verify";
}

/** A function that decides what to append. It may be asked again when another process was faster, and must have no effects. */
export type Transaction<T> = (view: LogView) => Decision<T>;

/** A transaction that waits for its append, and the promise of its caller. */
export interface PendingAppend {
  /** Done alone, before the decision. */
  readonly prepare?: () => Promise<void>;
  readonly decide: Transaction<unknown>;
  /** The command of another process that this carries out: its answer is part of the commit. */
  readonly commandId: string | undefined;
  /** A kill of this process does not lose its rows any more. */
  readonly written: () => void;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Makes the entry of a queue and the promises of its caller: of what is committed, and of what is written before that. */
export function pendingAppend<T>(decide: Transaction<T>) {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const { promise: kept, resolve: written } = Promise.withResolvers<void>();
  // The queue forgets the type of a value; it goes back to the promise of the same call.
  return { promise, kept, decide, written, resolve: resolve as PendingAppend["resolve"], reject };
}

/** One append, as several transactions decided it together. */
export interface AppendPlan {
  readonly rows: readonly Row[];
  readonly stored: readonly StoredRow[];
  /** State and cursor after the rows. */
  readonly state: SessionState;
  readonly cursor: number;
  /** The transactions that are part of it, with the value that each gets once it is committed. */
  readonly decided: readonly { readonly pending: PendingAppend; readonly value: unknown }[];
  readonly results: readonly CommandResult[];
  /** One of the rows holds all streamed text. */
  readonly endsReply: boolean;
  readonly keepsLease: boolean;
  /** The store has to be asked even without rows. */
  readonly aboutLease: boolean;
}

/** The base of a plan: what holds before it, and what rows are made with. */
export interface PlanBase extends PersonaChoice {
  readonly state: SessionState;
  readonly cursor: number;
  readonly holdsLease: boolean;
  /** Streamed text that no row holds. */
  readonly pieces: readonly Piece[];
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/** Asks each transaction on the state that the ones before it leave; one that throws is rejected and leaves nothing. */
export function planAppend(waiting: readonly PendingAppend[], base: PlanBase): AppendPlan {
  const { clock, redactor, pieces } = base;
  let { state, holdsLease: keepsLease } = base;
  let cursor = Math.max(base.cursor, state.seq);
  const rows: Row[] = [];
  const stored: StoredRow[] = [];
  const decided: { pending: PendingAppend; value: unknown }[] = [];
  const results: CommandResult[] = [];
  let endsReply = false;
  let verify = false;
  const segments = (): readonly Segment[] => (endsReply ? [] : joinPieces(pieces));
  for (const pending of waiting) {
    try {
      const { events, value, lease } = pending.decide({ state, segments, holdsLease: keepsLease });
      for (const event of personaEvents(events, () => state, base)) {
        endsReply ||= event.type === "reply.complete";
        cursor += 1;
        const mid = !endsReply && pieces.length > 0;
        const next = makeRow(event, { state, seq: cursor, mid, at: clock.now(), redactor });
        rows.push(next.row);
        stored.push(next.stored);
        state = fold(state, next.row);
      }
      if (lease === "verify") verify = base.holdsLease;
      else if (lease !== undefined) keepsLease = lease === "take";
      decided.push({ pending, value });
      if (pending.commandId !== undefined) results.push(success(pending.commandId, value));
    } catch (thrown) {
      pending.reject(thrown);
    }
  }
  const aboutLease = verify || keepsLease !== base.holdsLease;
  return { rows, stored, state, cursor, decided, results, endsReply, keepsLease, aboutLease };
}

/** Cursors beyond those in use that are never given out again when power is lost; raised in steps of this size. */
const RESERVE = 1_000_000;

interface AppendTarget {
  readonly session: string;
  readonly fence: number | undefined;
  readonly before: SessionState;
  readonly text: TextBatch;
}

/** A plan as the store is asked to carry it out. */
export function requestOf(plan: AppendPlan, { session, fence, before, text }: AppendTarget): AppendRequest {
  return {
    session,
    fence,
    after: { n: before.n, seq: before.seq },
    creates: before.n === 0,
    rows: plan.stored,
    pieces: text.pieces,
    clearPieces: plan.endsReply,
    // Without `defined`: this is made for every tick of a stream.
    ...(plan.rows.length === 0 ? {} : { state: plan.state }),
    release: !plan.keepsLease,
    reserve: (Math.floor(plan.cursor / RESERVE) + 2) * RESERVE,
    blobs: plan.stored.flatMap(({ body }) => blobsIn(body)),
    results: plan.results,
    written() {
      for (const { pending } of plan.decided) pending.written();
    },
  };
}

interface RowBase extends Pick<PlanBase, "state" | "redactor"> {
  readonly seq: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** It stands inside a reply that still streams. */
  readonly mid: boolean;
}

/** The row that an event becomes, recorded as it is shown: without secrets, and in text that everybody can read. */
export function makeRow(
  event: DurableEvent,
  { state, seq, mid, at, redactor }: RowBase,
): { readonly row: Row; readonly stored: StoredRow } {
  const row = { n: state.n + 1, seq, at, event };
  const stored = encodeRow(row, mid);
  const body = wellFormedJson(redactor.hideInJson(stored.body));
  if (body === stored.body) return { row, stored };
  const clean = { ...stored, body };
  return { row: decodeRow(clean), stored: clean };
}

/** Rows for events after a state, outside any append of a writer, and the state after them. */
export function makeRows(
  events: readonly DurableEvent[],
  before: SessionState,
  { clock, redactor }: { readonly clock: Clock; readonly redactor: () => Redactor },
): { readonly rows: readonly StoredRow[]; readonly state: SessionState } {
  const rows: StoredRow[] = [];
  const base = { redactor: redactor(), mid: false };
  let state = before;
  for (const event of events) {
    const next = makeRow(event, { ...base, state, seq: state.seq + 1, at: clock.now() });
    rows.push(next.stored);
    state = fold(state, next.row);
  }
  return { rows, state };
}

const success = (id: string, value: unknown): CommandResult => ({
  id,
  ok: true,
  body: JSON.stringify(value ?? null),
});
