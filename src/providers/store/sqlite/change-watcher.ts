import type { StoreEvent } from "../operations.ts";
import { nullableText, text } from "./columns.ts";
import { hasCommands, isSettled, takeCommands } from "./commands.ts";
import type { OperationContext } from "./operation-context.ts";
import { endBeside } from "./pieces.ts";

/** A reporter of changes by other hosts: rows and text of watched sessions, commands and their answers. */
export class ChangeWatcher {
  readonly #context: OperationContext;
  readonly #emit: (event: StoreEvent) => void;
  /** Watched sessions, and where they ended when this host last knew. */
  readonly #watched = new Map<string, string>();
  /** Commands that this host sent and waits for. */
  readonly #sent = new Set<string>();
  /** The hosts that drive watched sessions, this one left out, as of the last check. */
  readonly #owners = new Set<string>();
  #listening = false;
  #newInterest = false;

  constructor(context: OperationContext, emit: (event: StoreEvent) => void) {
    this.#context = context;
    this.#emit = emit;
  }

  watch(session: string): void {
    this.#watched.set(session, this.#end(session));
    this.#newInterest = true;
  }

  unwatch(session: string): void {
    this.#watched.delete(session);
  }

  /** From now on commands to sessions of this host are handed out. */
  listen(): void {
    this.#listening = true;
    this.#context.commandsChanged = true;
  }

  /** This host sent a command and waits for its answer. */
  expect(id: string): void {
    this.#sent.add(id);
    this.#newInterest = true;
  }

  forget(id: string): void {
    this.#sent.delete(id);
  }

  /** This host writes to a session itself, in the transaction that is open: once that is committed it needs no report of it. */
  writes(session: string): void {
    if (!this.#watched.has(session)) return;
    try {
      const end = this.#end(session);
      this.#context.onceCommitted(() => {
        if (this.#watched.has(session)) this.#watched.set(session, end);
      });
    } catch {
      // Then it is reported, which is harmless.
    }
  }

  /** Whether this host waits for anything that another host may do. */
  get isWaiting(): boolean {
    return this.#watched.size > 0 || this.#sent.size > 0 || (this.#listening && this.#context.held.size > 0);
  }

  /** Whether this host began to wait for something since it was last asked. */
  takeNewInterest(): boolean {
    const isNew = this.#newInterest;
    this.#newInterest = false;
    return isNew;
  }

  /** A count of what the owners of watched sessions have saved beside the database. */
  get textChanges(): number {
    return this.#context.saved.changesOf(this.#owners);
  }

  /** Reports everything that has changed since the last check. */
  check(): void {
    this.#owners.clear();
    for (const [session, known] of this.#watched) {
      const end = this.#end(session);
      if (end === known) continue;
      this.#watched.set(session, end);
      this.#emit({ type: "moved", session });
    }
    this.#checkCommands();
  }

  /** Reports what this host itself did about commands. */
  checkOwnCommands(): void {
    if (!this.#context.commandsChanged) return;
    this.#context.commandsChanged = false;
    this.#checkCommands();
  }

  stop(): void {
    this.#watched.clear();
    this.#sent.clear();
    this.#listening = false;
  }

  #checkCommands(): void {
    const { database } = this.#context;
    for (const id of this.#sent) if (isSettled(database, id)) this.#emit({ type: "settled", id });
    if (!this.#listening || !hasCommands(this.#context)) return;
    // They are committed as taken before they are handed out, so that no other host gets one of them too.
    database.claim(false);
    for (const command of database.write(false, () => takeCommands(this.#context))) {
      this.#emit({ type: "command", command });
    }
  }

  /** Where a session's rows and pieces end. */
  #end(session: string): string {
    const row = this.#context.database.one(
      `SELECT concat_ws(' ', key, n, s.seq, (SELECT max(cursor) FROM pieces WHERE session = key)) AS place, l.host, l.fence
       FROM sessions s LEFT JOIN leases l ON l.session = s.key WHERE s.id = ?`,
      session,
    );
    if (row === undefined) return "";
    const owner = nullableText(row, "host");
    if (owner !== undefined && owner !== this.#context.host.id) this.#owners.add(owner);
    return `${text(row, "place")} ${endBeside(this.#context, row)}`;
  }
}
