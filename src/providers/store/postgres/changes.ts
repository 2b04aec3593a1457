import type { StoreEvent } from "../operations.ts";
import { type ResultRow, storedText, text } from "./columns.ts";
import { settledCommands, takeCommands } from "./commands.ts";
import type { PostgresContext } from "./context.ts";
import type { NoticeKind } from "./notices.ts";
import { statement } from "./statement.ts";

/** Milliseconds between two looks at what is followed, when notices arrive and when they do not. */
const SLOW = 2_000;
const QUICK = 250;

const ENDS = statement(
  "ends",
  `
  SELECT s.id, concat_ws(' ', s.key, s.n, s.seq, s.fence, (
    SELECT max(p."cursor") FROM pieces p WHERE p.session = s.key AND p.fence = s.fence)) AS place
  FROM sessions s WHERE s.id = ANY ($1)
  `,
);

/** A reporter of changes by other hosts: rows and text of watched sessions, commands and their answers. */
export class Changes {
  readonly #context: PostgresContext;
  readonly #emit: (event: StoreEvent) => void;
  readonly #hears: () => boolean;
  /** Watched sessions, and where they ended at the last look. */
  readonly #watched = new Map<string, string | undefined>();
  /** Commands that this host sent and waits for. */
  readonly #sent = new Set<string>();
  #listening = false;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  #lookAgain = false;
  #taking: Promise<void> | undefined;
  #takeAgain = false;
  #closed = false;

  constructor(context: PostgresContext, emit: (event: StoreEvent) => void, hears: () => boolean) {
    this.#context = context;
    this.#emit = emit;
    this.#hears = hears;
  }

  watch(session: string): void {
    this.#watched.set(session, undefined);
    this.#schedule();
  }

  unwatch(session: string): void {
    this.#watched.delete(session);
  }

  /** From now on commands to sessions of this host are handed out. */
  listen(): void {
    this.#listening = true;
    this.lookForCommands();
    this.#schedule();
  }

  /** This host sent a command and waits for its answer. */
  expect(id: string): void {
    this.#sent.add(id);
    this.#schedule();
  }

  forget(id: string): void {
    this.#sent.delete(id);
  }

  /** This host itself answered a command, which may be its own. */
  answered(id: string): void {
    if (this.#sent.has(id)) this.#emit({ type: "settled", id });
  }

  heard(kind: NoticeKind, id: string): void {
    if (kind === "moved" && this.#watched.has(id)) this.#emit({ type: "moved", session: id });
    if (kind === "settled" && this.#sent.has(id)) this.#emit({ type: "settled", id });
    if (kind === "command" && this.#context.held.has(id)) this.lookForCommands();
  }

  /** Looks at all that is followed, now: something may have been missed. */
  look(): void {
    if (this.#isLooking) {
      this.#lookAgain = true;
      return;
    }
    this.#isLooking = true;
    void this.#look()
      // The database is away: the next look finds it.
      .catch(() => undefined)
      .then(() => {
        this.#isLooking = false;
        if (this.#lookAgain && !this.#closed) {
          this.#lookAgain = false;
          return this.look();
        }
        this.#schedule();
      });
  }

  /** Takes the commands that wait for this host. They are committed as taken before they are handed out. */
  lookForCommands(): void {
    if (!this.#listening || this.#closed) return;
    if (this.#taking !== undefined) {
      this.#takeAgain = true;
      return;
    }
    this.#taking = this.#take()
      .catch(() => undefined)
      .then(() => {
        this.#taking = undefined;
        if (!this.#takeAgain) return;
        this.#takeAgain = false;
        this.lookForCommands();
      });
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#taking;
  }

  get #isWaiting(): boolean {
    return this.#watched.size > 0 || this.#sent.size > 0 || (this.#listening && this.#context.held.size > 0);
  }

  /** The pace is the network's, not that of the host's clock. */
  #schedule(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (this.#isWaiting) this.look();
        else if (this.#listening) this.#schedule();
      },
      this.#hears() ? SLOW : QUICK,
    ).unref();
  }

  async #look(): Promise<void> {
    const { sql, held } = this.#context;
    const followed = [...this.#watched.keys()].filter((session) => !held.has(session));
    if (followed.length > 0) this.#compare(followed, await sql.query(ENDS, [followed.map(storedText)]));
    if (this.#sent.size > 0)
      for (const id of await settledCommands(this.#context, [...this.#sent]))
        this.#emit({ type: "settled", id });
    this.lookForCommands();
  }

  #compare(followed: readonly string[], rows: readonly ResultRow[]): void {
    const places = new Map(rows.map((row) => [text(row, "id"), text(row, "place")]));
    for (const session of followed) {
      if (!this.#watched.has(session)) continue;
      const place = places.get(session) ?? "";
      if (this.#watched.get(session) === place) continue;
      this.#watched.set(session, place);
      this.#emit({ type: "moved", session });
    }
  }

  async #take(): Promise<void> {
    if (this.#context.held.size === 0) return;
    for (const command of await takeCommands(this.#context)) this.#emit({ type: "command", command });
  }
}
