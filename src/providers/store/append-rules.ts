import { HostError } from "../../shared/errors/host-error.ts";
import type { Liveness } from "./liveness.ts";
import type { HostEntry } from "./operations.ts";
import type { AppendRequest, Head, SessionState, StoredRow } from "../../core/index.ts";

/** The facts that decide about an append: where the log ends, and which host holds the session's lease. */
export interface LeaseState {
  readonly head: Head;
  readonly host: string | undefined;
  readonly fence: number;
}

/** The answer to whether an append may go on; with `take` it may, and takes the lease. */
export type AppendDecision = "go" | "take" | "moved" | "owned" | "fenced";

/** Decides whether a host may append to a session. */
export function decideAppend(
  session: LeaseState,
  request: Pick<AppendRequest, "fence" | "after" | "release">,
  host: string,
): AppendDecision {
  if (request.fence === undefined) {
    if (session.host === host) return "fenced";
    if (session.host !== undefined) return "owned";
  } else if (session.host !== host || session.fence !== request.fence) return "fenced";
  if (request.after.n !== session.head.n || request.after.seq !== session.head.seq) return "moved";
  // An append that gives the lease back in the same transaction needs none: nobody can come in between.
  return request.fence === undefined && !request.release ? "take" : "go";
}

/**
 * Checks what a correct caller never gets wrong: rows go on without a gap, and come with their state.
 *
 * @throws HostError `internal`
 */
export function checkAppend(request: AppendRequest): void {
  const { session, rows, pieces, state } = request;
  if (request.creates === true && (rows.length === 0 || request.after.n !== 0))
    throw notInOrder(session, "a session is made with its first row");
  checkRows(session, request.after, rows);
  const last = rows.at(-1);
  if (last !== undefined) checkState(session, last, state);
  let end = request.after.seq;
  for (const piece of pieces) {
    if (!Number.isSafeInteger(piece.cursor) || piece.cursor < end)
      throw notInOrder(session, `text at cursor ${piece.cursor} overlaps the text before ${end}`);
    end = piece.cursor + piece.text.length;
  }
}

/**
 * Checks a new session's own rows after `head`, where the rows end that it took from another session.
 *
 * @throws HostError `internal`
 */
export function checkNewSession(
  session: string,
  head: Head,
  { rows, state }: { readonly rows: readonly StoredRow[]; readonly state: SessionState },
): void {
  checkRows(session, head, rows);
  checkState(session, rows.at(-1) ?? head, state);
}

function checkState(session: string, end: Head, state: SessionState | undefined): void {
  if (state?.n === end.n && state.seq === end.seq) return;
  throw notInOrder(
    session,
    `its state ends at row ${state?.n}, cursor ${state?.seq}, not at row ${end.n}, cursor ${end.seq}`,
  );
}

function checkRows(session: string, after: Head, rows: readonly StoredRow[]): void {
  let { n, seq } = after;
  for (const row of rows) {
    if (row.n !== n + 1) throw notInOrder(session, `row ${row.n} does not follow row ${n}`);
    if (!Number.isSafeInteger(row.seq) || row.seq <= seq)
      throw notInOrder(session, `row ${row.n} has cursor ${row.seq}, not above ${seq}`);
    ({ n, seq } = row);
  }
}

/** Makes the error of a session that cannot be removed, for a living process drives it. */
export function sessionInUse(
  session: string,
  holder: HostEntry,
  liveness: Pick<Liveness, "isRemote">,
): HostError {
  const who = liveness.isRemote(holder) ? "a host on another machine" : `process ${holder.pid}`;
  const message = `Session ${session} is in use by ${who}. End its turn there, then remove it.`;
  return new HostError("session_busy", message, { details: { subject: session } });
}

/**
 * The error of a session whose rows up to the branch are not as many as the caller knows: somebody deleted it meanwhile and
 * made another one of its name, or the disk lost some. A head does not tell the two apart, so its words name both.
 */
export const sessionReplaced = (session: string): HostError =>
  new HostError(
    "session_not_found",
    `Session not found: ${session}. Another one has its id now, or rows of it are gone. Look at it, then branch it again.`,
    { details: { subject: session } },
  );

const notInOrder = (session: string, what: string): HostError =>
  new HostError(
    "internal",
    `Rows for session ${session} are not in order: ${what}. This is a defect of the writer.`,
  );
