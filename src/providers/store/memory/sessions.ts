import { HostError } from "../../../shared/errors/host-error.ts";
import type { Head, ListQuery, Piece, Snapshot, StoredRow } from "../../../core/index.ts";
import { judgeAppend } from "../append-rules.ts";
import type { AppendAnswer, AppendOrder, HostFacts, NewSession, RecordFacts } from "../operations.ts";
import { hiddenMarks, MARK, type StateEntry } from "../state-entry.ts";
import { answerCommands } from "./commands.ts";
import type { HomeData, MemorySession } from "./home.ts";
import { showHost } from "./hosts.ts";

const headOf = ({ state }: MemorySession): Head => ({ n: state.n, seq: state.seq });

export function create(home: HomeData, { id, rows, state }: NewSession): boolean {
  if (home.sessions.has(id)) return false;
  home.sessions.set(id, {
    key: home.nextNumber(),
    id,
    rows: [...rows],
    pieces: [],
    state,
    holder: undefined,
    fence: 0,
    reserved: 0,
    blobs: new Set(),
  });
  return true;
}

export function append(home: HomeData, order: AppendOrder, me: HostFacts): AppendAnswer {
  const session = home.sessions.get(order.session);
  if (order.creates === true) return session === undefined ? begin(home, order, me) : { status: "exists" };
  if (session === undefined) return { status: "gone" };
  const verdict = judgeAppend(
    { head: headOf(session), host: session.holder, fence: session.fence },
    order,
    me.id,
  );
  switch (verdict) {
    case "moved":
      return { status: "moved" };
    case "fenced":
      return { status: "fenced" };
    case "owned":
      return { status: "owned", holder: home.hostFacts(session.holder ?? "") };
    case "take":
    case "go":
      change(home, session, order);
      for (const hash of order.blobs) unclaim(home, hash, me.id);
      if (verdict === "take") takeLease(home, session, me);
      else if (order.release) session.holder = undefined;
      return { status: "ok", fence: order.release ? undefined : session.fence };
  }
}

/** Makes the session with its first rows. */
function begin(home: HomeData, order: AppendOrder, me: HostFacts): AppendAnswer {
  const { session: id, state } = order;
  if (state === undefined || !create(home, { id, rows: [], state })) return { status: "exists" };
  const session = home.sessions.get(id);
  if (session === undefined) return { status: "gone" };
  change(home, session, order);
  for (const hash of order.blobs) unclaim(home, hash, me.id);
  if (!order.release) takeLease(home, session, me);
  return { status: "ok", fence: order.release ? undefined : session.fence };
}

function change(home: HomeData, session: MemorySession, order: AppendOrder): void {
  session.rows.push(...order.rows);
  if (order.clearPieces) session.pieces = [];
  session.pieces.push(...order.pieces);
  if (order.state !== undefined) {
    const marks = order.state.marks | (session.state.marks & MARK.child);
    session.state = { ...order.state, marks };
  }
  session.reserved = Math.max(session.reserved, order.reserve);
  for (const hash of order.blobs) session.blobs.add(hash);
  answerCommands(home, order.results);
}

function unclaim({ claims }: HomeData, hash: string, host: string): void {
  const claim = claims.get(hash)?.get(host);
  if (claim === undefined) return;
  if (claim.count > 1) claims.get(hash)?.set(host, { ...claim, count: claim.count - 1 });
  else claims.get(hash)?.delete(host);
}

export function takeLease(home: HomeData, session: MemorySession, me: HostFacts): void {
  showHost(home, me);
  session.holder = me.id;
  session.fence = home.nextNumber();
}

export function read(
  home: HomeData,
  request: { readonly session: string; readonly after: number; readonly limit: number },
): Snapshot | undefined {
  const session = home.sessions.get(request.session);
  if (session === undefined) return undefined;
  const rest = session.rows.filter(({ seq }) => seq > request.after);
  let end = Math.min(request.limit, rest.length);
  // A page does not end inside a reply: its text comes with a later row.
  while (end > 0 && end < rest.length && rest[end - 1]?.mid === true) end += 1;
  const more = end < rest.length;
  const pieces = more ? [] : piecesAfter(session, request.after);
  return { rows: rest.slice(0, end), pieces, head: headOf(session), more };
}

function piecesAfter({ pieces, state }: MemorySession, after: number): readonly Piece[] {
  if (after <= state.seq) return [...pieces];
  return pieces.filter(({ cursor, text }) => cursor + text.length > after);
}

export function readBefore(
  home: HomeData,
  request: { readonly session: string; readonly before: number; readonly limit: number },
): readonly StoredRow[] {
  const rows = home.sessions.get(request.session)?.rows.filter(({ seq }) => seq < request.before) ?? [];
  return rows.slice(Math.max(0, rows.length - request.limit));
}

export function findRecord(home: HomeData, id: string): RecordFacts | undefined {
  const session = home.sessions.get(id);
  return session && recordFacts(home, session);
}

function recordFacts(home: HomeData, session: MemorySession): RecordFacts {
  const holder = home.holderOf(session);
  return {
    id: session.id,
    state: session.state.body,
    stale: false,
    damaged: false,
    ...(holder === undefined ? {} : { holder }),
  };
}

export function list(home: HomeData, query: ListQuery): readonly RecordFacts[] {
  return [...home.sessions.values()]
    .filter(({ state }) => isWanted(state, query))
    .sort((a, b) => b.state.activeAt - a.state.activeAt || b.key - a.key)
    .slice(query.offset, query.offset + query.limit)
    .map((session) => recordFacts(home, session));
}

function isWanted(state: StateEntry, query: ListQuery): boolean {
  return (
    (state.marks & hiddenMarks(query)) === 0 &&
    (query.archived !== "only" || (state.marks & MARK.archived) !== 0) &&
    (["platform", "source", "cwd", "title"] as const).every(
      (key) => query[key] === undefined || query[key] === state[key],
    ) &&
    (query.title === undefined || query.title !== "") &&
    (query.search === undefined || state.words.includes(query.search)) &&
    (query.activeBefore === undefined || state.activeAt < query.activeBefore) &&
    (query.waiting !== true || state.waiting === 1)
  );
}

export function branch(
  home: HomeData,
  { from, head, ...to }: NewSession & { readonly from: string; readonly head: Head },
): boolean {
  const source = home.sessions.get(from);
  if (source === undefined) throw new HostError("session_not_found", `Session not found: ${from}`);
  if (home.sessions.has(to.id)) return false;
  const past = source.rows.filter(({ seq }) => seq <= head.seq);
  if (past.length !== head.n) {
    throw new HostError(
      "internal",
      `Session ${from} has ${past.length} rows up to cursor ${head.seq}, not ${head.n}: it cannot be branched there.`,
    );
  }
  create(home, { ...to, rows: [...past, ...to.rows] });
  for (const hash of source.blobs) home.sessions.get(to.id)?.blobs.add(hash);
  return true;
}

export function remove(
  home: HomeData,
  { session: id, holder }: { readonly session: string; readonly holder: string | undefined },
  me: HostFacts,
): { readonly removed: boolean; readonly holder?: HostFacts } {
  const session = home.sessions.get(id);
  if (session === undefined) return { removed: false };
  const current = home.holderOf(session);
  if (current !== undefined && current.id !== me.id && current.id !== holder)
    return { removed: false, holder: current };
  home.sessions.delete(id);
  for (let index = home.commands.length - 1; index >= 0; index -= 1) {
    if (home.commands[index]?.command.session === id) home.commands.splice(index, 1);
  }
  for (const hash of session.blobs) if (home.isFree(hash)) home.blobs.delete(hash);
  return { removed: true };
}
