import type { Command, CommandResult } from "../../../core/index.ts";
import { errorRecord, HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import type { HostEntry, StoreInput, StoreOperations } from "../operations.ts";
import { integer, nullableText, storedText, text } from "./columns.ts";
import {
  ANSWER,
  ANSWERER,
  KEEP_OUT,
  SEND,
  SETTLED,
  SWEEP_COMMANDS,
  TAKE,
  WITHDRAW,
} from "./command-statements.ts";
import type { Sql } from "./connections.ts";
import type { PostgresContext } from "./context.ts";
import { holderOf } from "./host-entry.ts";

type Reading = Pick<PostgresContext, "sql" | "lease">;
type Telling = Pick<PostgresContext, "sql" | "host" | "announce">;
type Sending = Reading & Pick<PostgresContext, "host" | "announce" | "lookForCommands">;

/** Milliseconds after the deadline at which nobody waits for an answer any more. */
const KEPT_AFTER_DEADLINE = 60_000;

/** A command that waits to be sent, with what becomes of it. */
interface WaitingCommand {
  readonly command: Command;
  readonly resolve: (holder: HostEntry | undefined) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The commands that a host sends: they reach the database in the order in which they were sent, so one statement is under way at a
 * time, and what waits meanwhile goes with the next.
 */
export class CommandOutbox {
  readonly #context: Sending;
  #waiting: WaitingCommand[] = [];
  #isSending = false;

  constructor(context: Sending) {
    this.#context = context;
  }

  /** @returns the holder of the session; `undefined` when there is none, and nothing was sent */
  send({ command }: StoreInput<"send">): Promise<HostEntry | undefined> {
    const { promise, resolve, reject } = Promise.withResolvers<HostEntry | undefined>();
    this.#waiting.push({ command, resolve, reject });
    if (!this.#isSending) void this.#sendAll();
    return promise;
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      await this.#sendGroup(group);
    }
    this.#isSending = false;
  }

  async #sendGroup(group: readonly WaitingCommand[]): Promise<void> {
    const { sql, host, lease, announce, lookForCommands } = this.#context;
    try {
      const asked = group.map(({ command }, i) => ({ i, ...storedCommand(command) }));
      const rows = await sql.query(SEND, [JSON.stringify(asked), lease.ms]);
      const holders = new Map(rows.map((row) => [integer(row, "i"), holderOf(row, "holder")]));
      for (const [i, { command, resolve }] of group.entries()) {
        const holder = holders.get(i);
        if (holder?.id === host.id) lookForCommands();
        else if (holder !== undefined) announce({ command: command.session });
        resolve(holder);
      }
    } catch (thrown) {
      for (const { reject } of group) reject(thrown);
    }
  }
}

const storedCommand = ({ id, session, kind, payload, deadline }: Command) => ({
  id: storedText(id),
  session: storedText(session),
  kind: storedText(kind),
  payload: storedText(payload),
  deadline,
});

/** What the sender of a command that was kept out takes for "try again". */
const KEPT_OUT = JSON.stringify(errorRecord(new HostError("lease_lost", "The owner let go of the session.")));

/**
 * Sees to it that a command which found no owner when it was asked for again is not carried out by a later one: the sender acts
 * otherwise. Gives who will answer it, when the try before had stored it and somebody has the session by now.
 */
export async function keepOutCommand(
  context: Reading,
  { command: { id, session, kind, deadline } }: StoreInput<"send">,
): Promise<HostEntry | undefined> {
  const place = [storedText(id), storedText(session), storedText(kind), deadline, KEPT_OUT];
  if ((await context.sql.query(KEEP_OUT, place)).length > 0) return undefined;
  for (;;) {
    const answerer = await answererOf(context, { id });
    if (answerer !== undefined) return answerer;
    const { open } = await withdrawCommand(context, { id, from: undefined, force: false });
    if (!open) return undefined;
  }
}

/** Stores answers that belong to no row; gives those commands that were taken back, or from this host. */
export async function answerCommands(
  { sql, host, announce }: Telling,
  { results }: StoreInput<"answer">,
): Promise<readonly string[]> {
  if (results.length === 0) return [];
  const asked = results.map(({ id, ok, body }) => ({ id: storedText(id), ok, body: storedText(body) }));
  const rows = await sql.query(ANSWER, [JSON.stringify(asked), host.id]);
  const answered = new Set(rows.map((row) => text(row, "id")));
  for (const id of answered) announce({ settled: id });
  return results.flatMap(({ id }) => (answered.has(storedText(id)) ? [] : [id]));
}

/** The host that will answer a command: the one that took it, else the holder of its session. */
export async function answererOf(
  { sql, lease }: Reading,
  { id }: StoreInput<"answerer">,
): Promise<HostEntry | undefined> {
  const [row] = await sql.query(ANSWERER, [storedText(id), lease.ms]);
  return row && holderOf(row, "answerer");
}

export async function withdrawCommand(
  { sql }: Reading,
  { id, from, force }: StoreInput<"withdraw">,
): Promise<ReturnType<StoreOperations["withdraw"]>> {
  const [row] = await sql.query(WITHDRAW, [storedText(id), from ?? null, force]);
  if (row === undefined) return { open: false };
  const body = nullableText(row, "result");
  const result: CommandResult | undefined =
    body === undefined ? undefined : { id, ok: row["ok"] === true, body };
  return defined({ open: row["open"] === true, result });
}

type Taking = Pick<PostgresContext, "host"> & { readonly sql: Pick<Sql, "query"> };

/** The name of each host's request to take commands, until it is answered. */
const takes = new WeakMap<Taking, string>();
let requests = 0;

/**
 * Takes the commands to sessions of this host, in the order in which they were sent: each is taken once, and those of a request whose
 * answer was lost come with the next. Call it again only after it has answered: else the later ones may come first.
 */
export async function takeCommands(context: Taking): Promise<readonly Command[]> {
  const { sql, host } = context;
  const name = takes.get(context) ?? `${(requests += 1)}`;
  takes.set(context, name);
  const rows = await sql.query(TAKE, [host.id, name]);
  takes.delete(context);
  return rows.map((row) => ({
    id: text(row, "id"),
    session: text(row, "session"),
    kind: text(row, "kind"),
    payload: text(row, "payload"),
    deadline: integer(row, "deadline"),
  }));
}

/** Those of the commands that this host sent that are answered, or have no host to answer them. */
export async function settledCommands({ sql }: Reading, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await sql.query(SETTLED, [ids.map(storedText)]);
  return rows.map((row) => text(row, "id"));
}

export async function sweepCommands({ sql }: Pick<PostgresContext, "sql">, now: number): Promise<void> {
  await sql.query(SWEEP_COMMANDS, [now - KEPT_AFTER_DEADLINE]);
}
