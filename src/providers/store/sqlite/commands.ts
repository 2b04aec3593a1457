import type { Command, CommandResult } from "../../../core/index.ts";
import type { HostEntry } from "../operations.ts";
import { integer, type ResultRow, optionalText, text } from "./columns.ts";
import type { Database } from "./database.ts";
import { HOST_COLUMNS, holderOf } from "./host-entry.ts";
import { findHolder, findSession } from "./sessions.ts";
import type { OperationContext } from "./operation-context.ts";

/** Nobody waits for an answer so long after the deadline. */
const KEPT_AFTER_DEADLINE = 60_000;

/** @returns who holds the session; `undefined` when nobody does, and nothing was sent */
export function sendCommand(
  context: OperationContext,
  { command, now }: { command: Command; now: number },
): HostEntry | undefined {
  const { database } = context;
  sweepCommands(database, now);
  const session = findSession(database, command.session);
  const holder = findHolder(database, command.session);
  if (session === undefined || holder === undefined) return undefined;
  database.run(
    "INSERT INTO commands (id, session, kind, payload, deadline) VALUES (?, ?, ?, ?, ?)",
    command.id,
    session.key,
    command.kind,
    command.payload,
    command.deadline,
  );
  context.onceCommitted(() => (context.commandsChanged = true));
  return holder;
}

export function sweepCommands(database: Database, now: number): void {
  database.run("DELETE FROM commands WHERE deadline < ?", now - KEPT_AFTER_DEADLINE);
}

/** An answer to a command that was taken back in the meantime goes nowhere. */
export function answerCommands(context: OperationContext, results: readonly CommandResult[]): void {
  if (results.length === 0) return;
  for (const { id, ok, body } of results) {
    context.database.run(
      "UPDATE commands SET ok = ?, result = ? WHERE id = ? AND ok IS NULL",
      ok ? 1 : 0,
      body,
      id,
    );
  }
  context.onceCommitted(() => (context.commandsChanged = true));
}

const ANSWERER = `
  SELECT coalesce(c.taken, l.host) AS answerer, c.taken, c.ok, c.result, ${HOST_COLUMNS}
  FROM commands c
    LEFT JOIN leases l ON l.session = c.session
    LEFT JOIN hosts h ON h.id = coalesce(c.taken, l.host)
  WHERE c.id = ?
`;

/** Who will answer a command: who took it, else who holds its session. */
export function answererOf({ database }: OperationContext, id: string): HostEntry | undefined {
  const line = database.one(ANSWERER, id);
  return line && holderOf(line, "answerer");
}

export function withdrawCommand(
  { database }: OperationContext,
  { id, from, force }: { readonly id: string; readonly from: string | undefined; readonly force: boolean },
): { readonly open: boolean; readonly result?: CommandResult } {
  const line = database.one(ANSWERER, id);
  if (line === undefined) return { open: false };
  const result = resultOf(line, id);
  const answerer = optionalText(line, "answerer");
  const given = answerer === undefined || answerer === from;
  if (result === undefined && !force && !given) return { open: true };
  database.run("DELETE FROM commands WHERE id = ?", id);
  return result === undefined ? { open: false } : { open: false, result };
}

function resultOf(line: ResultRow, id: string): CommandResult | undefined {
  const body = optionalText(line, "result");
  return body === undefined ? undefined : { id, ok: line["ok"] === 1, body };
}

/** Whether a command of this host needs its sender: it is answered, or has nobody to answer it. */
export function isSettled(database: Database, id: string): boolean {
  const line = database.one(ANSWERER, id);
  return line === undefined || line["ok"] !== null || line["answerer"] === null;
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
  const lines = database.all(
    `SELECT c.position, c.id, s.id AS session, c.kind, c.payload, c.deadline ${UNTAKEN} ORDER BY c.position`,
    host.id,
  );
  for (const line of lines) {
    database.run("UPDATE commands SET taken = ? WHERE position = ?", host.id, integer(line, "position"));
  }
  return lines.map((line) => ({
    id: text(line, "id"),
    session: text(line, "session"),
    kind: text(line, "kind"),
    payload: text(line, "payload"),
    deadline: integer(line, "deadline"),
  }));
}
