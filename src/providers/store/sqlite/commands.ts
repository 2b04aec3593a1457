import type { Command, CommandResult } from "../../../core/index.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HostEntry } from "../operations.ts";
import { integer, type ResultRow, nullableText, text } from "./columns.ts";
import type { Database } from "./database.ts";
import { HOST_COLUMNS, holderOf } from "./host-entry.ts";
import { findHolder, findSession } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

/** Milliseconds after the deadline at which nobody waits for an answer any more. */
const KEPT_AFTER_DEADLINE = 60_000;

/** @returns the holder of the session; `undefined` when there is none, and nothing was sent */
export function sendCommand(
  context: OperationContext,
  { command, now }: { command: Command; now: number },
): HostEntry | undefined {
  const { database } = context;
  sweepCommands(database, now);
  const session = findSession(database, command.session);
  const holder = findHolder(database, command.session);
  if (session === undefined || holder === undefined) return undefined;
  const { id, kind, payload, deadline } = command;
  database.insert("commands", { id, session: session.key, kind, payload, deadline });
  context.onceCommitted(() => (context.commandsChanged = true));
  return holder;
}

export function sweepCommands(database: Database, now: number): void {
  database.run("DELETE FROM commands WHERE deadline < ?", now - KEPT_AFTER_DEADLINE);
}

/**
 * The commands that a host carries out, also those that were given back in the meantime, as long as it has their session: by an append,
 * which decides about that, or without one. `?1` command, `?2` host.
 */
const MINE = {
  appended: "id = ?1 AND (taken = ?2 OR taken IS NULL)",
  answered: `id = ?1 AND (taken = ?2
    OR (taken IS NULL AND session IN (SELECT session FROM leases WHERE host = ?2)))`,
};

/** Those of the commands that this host carries out which their senders have taken back, or that were taken from it. */
export function withdrawnCommands(
  { database, host }: OperationContext,
  results: readonly CommandResult[],
  by: keyof typeof MINE = "appended",
): readonly string[] {
  const mine = `SELECT 1 FROM commands WHERE ${MINE[by]}`;
  return results.flatMap(({ id }) => (database.one(mine, id, host.id) === undefined ? [id] : []));
}

/**
 * Stores answers. The answer to a command that was withdrawn in the meantime is dropped, and so is one by a host that it was taken from.
 *
 * @returns the ids of those commands
 */
export function answerCommands(
  context: OperationContext,
  results: readonly CommandResult[],
  by: keyof typeof MINE = "answered",
): readonly string[] {
  if (results.length === 0) return [];
  const withdrawn = withdrawnCommands(context, results, by);
  for (const { id, ok, body } of results) {
    context.database.run(
      `UPDATE commands SET ok = ?3, result = ?4, taken = ?2 WHERE ${MINE[by]} AND ok IS NULL`,
      id,
      context.host.id,
      ok ? 1 : 0,
      body,
    );
  }
  context.onceCommitted(() => (context.commandsChanged = true));
  return withdrawn;
}

const ANSWERER = `
  SELECT coalesce(c.taken, l.host) AS answerer, c.taken, c.ok, c.result, ${HOST_COLUMNS}
  FROM commands c
    LEFT JOIN leases l ON l.session = c.session
    LEFT JOIN hosts h ON h.id = coalesce(c.taken, l.host)
  WHERE c.id = ?
`;

/** The host that will answer a command: the one that took it, else the holder of its session. */
export function answererOf({ database }: OperationContext, id: string): HostEntry | undefined {
  const row = database.one(ANSWERER, id);
  return row && holderOf(row, "answerer");
}

export function withdrawCommand(
  { database }: OperationContext,
  { id, from, force }: { readonly id: string; readonly from: string | undefined; readonly force: boolean },
): { readonly open: boolean; readonly result?: CommandResult } {
  const row = database.one(ANSWERER, id);
  if (row === undefined) return { open: false };
  const result = resultOf(row, id);
  const answerer = nullableText(row, "answerer");
  const given = answerer === undefined || answerer === from;
  if (result === undefined && !force && !given) return { open: true };
  database.run("DELETE FROM commands WHERE id = ?", id);
  return defined({ open: false, result });
}

function resultOf(row: ResultRow, id: string): CommandResult | undefined {
  const body = nullableText(row, "result");
  return body === undefined ? undefined : { id, ok: row["ok"] === 1, body };
}

/** Whether a command of this host is answered, or has no host to answer it. */
export function isSettled(database: Database, id: string): boolean {
  const row = database.one(ANSWERER, id);
  return row === undefined || row["ok"] !== null || row["answerer"] === null;
}

const UNTAKEN = `
  FROM commands c JOIN leases l ON l.session = c.session JOIN sessions s ON s.key = c.session
  WHERE l.host = ? AND c.taken IS NULL AND c.ok IS NULL
`;

/** Whether commands wait for this host. */
export function hasCommands({ database, host }: OperationContext): boolean {
  return database.one(`SELECT 1 ${UNTAKEN} LIMIT 1`, host.id) !== undefined;
}

/** Takes the commands to sessions of this host, in the order in which they were sent: each is taken once. */
export function takeCommands({ database, host }: OperationContext): readonly Command[] {
  const rows = database.all(
    `SELECT c.position, c.id, s.id AS session, c.kind, c.payload, c.deadline ${UNTAKEN} ORDER BY c.position`,
    host.id,
  );
  for (const row of rows) {
    database.run("UPDATE commands SET taken = ? WHERE position = ?", host.id, integer(row, "position"));
  }
  return rows.map((row) => ({
    id: text(row, "id"),
    session: text(row, "session"),
    kind: text(row, "kind"),
    payload: text(row, "payload"),
    deadline: integer(row, "deadline"),
  }));
}
