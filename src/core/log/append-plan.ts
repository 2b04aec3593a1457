import type { Clock } from "../../shared/async/clock.ts";
import type { DurableEvent, Row } from "../events/events.ts";
import type { Segment } from "../events/reply.ts";
import { joinPieces } from "./expand.ts";
import { fold } from "../state/fold.ts";
import { wellFormedJson } from "../../shared/json/json.ts";
import type { Redactor } from "../../shared/text/redact.ts";
import { decodeRow, encodeRow } from "./row-codec.ts";
import type { SessionState } from "../state/state.ts";
import type { CommandResult, Piece, StoredRow } from "../ports/store.ts";

/** The session as a decision sees it. */
export interface LogView {
  readonly state: SessionState;
  /** This process holds the lease, or takes it with what was decided just before. */
  readonly holdsLease: boolean;
  /** The text of the reply that streams. */
  readonly segments: () => readonly Segment[];
}

/** What is to be appended, and what the caller gets once it is. */
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

/** Decides what to append. It may be asked again when another process was faster, and must have no effects. */
export type Transaction<T> = (view: LogView) => Decision<T>;

/** Somebody who wants something appended, and waits. */
export interface PendingAppend {
  /** Done alone, before the decision. */
  readonly prepare?: () => Promise<void>;
  readonly decide: Transaction<unknown>;
  /** The command of another process that this carries out: its answer is part of the commit. */
  readonly commandId: string | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** What jobs decided together: one append. */
export interface AppendPlan {
  readonly rows: readonly Row[];
  readonly stored: readonly StoredRow[];
  /** State and cursor after the rows. */
  readonly state: SessionState;
  readonly cursor: number;
  readonly done: readonly { readonly job: PendingAppend; readonly value: unknown }[];
  readonly results: readonly CommandResult[];
  /** One of the rows holds all streamed text. */
  readonly endsReply: boolean;
  readonly keepLease: boolean;
  /** The store has to be asked even without rows. */
  readonly aboutLease: boolean;
}

export interface PlanInput {
  readonly state: SessionState;
  readonly cursor: number;
  readonly driving: boolean;
  /** Streamed text that no row holds. */
  readonly pieces: readonly Piece[];
  readonly clock: Clock;
  readonly redactor: Redactor;
}

/** Asks each job on the state that the ones before it leave; one that throws is rejected and leaves nothing. */
export function planAppend(jobs: readonly PendingAppend[], base: PlanInput): AppendPlan {
  const { clock, redactor } = base;
  let { state, driving: keepLease } = base;
  let cursor = Math.max(base.cursor, state.seq);
  const rows: Row[] = [];
  const stored: StoredRow[] = [];
  const done: { job: PendingAppend; value: unknown }[] = [];
  const results: CommandResult[] = [];
  let endsReply = false;
  let verify = false;
  for (const job of jobs) {
    try {
      const segments = (): readonly Segment[] => (endsReply ? [] : joinPieces(base.pieces));
      const { events, value, lease } = job.decide({ state, segments, holdsLease: keepLease });
      for (const event of events) {
        endsReply ||= event.type === "reply.complete";
        cursor += 1;
        const mid = !endsReply && base.pieces.length > 0;
        const next = makeRow(event, { state, seq: cursor, mid, clock, redactor });
        rows.push(next.row);
        stored.push(next.stored);
        state = fold(state, next.row);
      }
      if (lease === "verify") verify = base.driving;
      else if (lease !== undefined) keepLease = lease === "take";
      done.push({ job, value });
      if (job.commandId !== undefined) results.push(success(job.commandId, value));
    } catch (thrown) {
      job.reject(thrown);
    }
  }
  const aboutLease = verify || keepLease !== base.driving;
  return { rows, stored, state, cursor, done, results, endsReply, keepLease, aboutLease };
}

interface RowBase extends Pick<PlanInput, "state" | "clock" | "redactor"> {
  /** The row's cursor. */
  readonly seq: number;
  /** It stands inside a reply that still streams. */
  readonly mid: boolean;
}

/** The row that an event becomes, recorded as it is shown: without secrets, and in text that everybody can read. */
export function makeRow(
  event: DurableEvent,
  { state, seq, mid, clock, redactor }: RowBase,
): { readonly row: Row; readonly stored: StoredRow } {
  const row = { n: state.n + 1, seq, at: clock.now(), event };
  const stored = encodeRow(row, mid);
  const body = wellFormedJson(redactor.hideInJson(stored.body));
  if (body === stored.body) return { row, stored };
  const clean = { ...stored, body };
  return { row: decodeRow(clean), stored: clean };
}

const success = (id: string, value: unknown): CommandResult => ({
  id,
  ok: true,
  body: JSON.stringify(value ?? null),
});
