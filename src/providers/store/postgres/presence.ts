import { setTimeout as pause } from "node:timers/promises";
import type { HostEntry } from "../operations.ts";
import { integer, type ResultRow } from "./columns.ts";
import type { Sql } from "./connections.ts";
import type { PostgresContext } from "./context.ts";
import { BURY_HOST, LOCK_HOST } from "./hosts.ts";
import { statement } from "./statement.ts";
import { UnheardLeases } from "./unheard-leases.ts";

const REGISTER = statement(
  "register",
  `
  INSERT INTO hosts (id, machine_id, boot_id, pid_namespace, pid, started_at, beat, beat_at, ended, epoch)
  SELECT $1, $2, $3, $4, $5, $6, 1, clock_timestamp(), false, number FROM epoch
  ON CONFLICT (id) DO UPDATE SET beat = hosts.beat + 1, beat_at = clock_timestamp(), ended = false
  `,
);

/** Who forgot this host took it for dead: then there is no row. The mark is gone when the database has crashed. */
const BEAT = statement(
  "beat",
  `
  UPDATE hosts SET beat = beat + 1, beat_at = clock_timestamp(), epoch = (SELECT number FROM epoch)
  WHERE id = $1 AND NOT ended
  RETURNING epoch, EXISTS (SELECT 1 FROM epoch_marks) AS marked,
    (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
  `,
);

const TIME = statement(
  "time",
  `SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, EXISTS (SELECT 1 FROM epoch_marks) AS marked,
     number AS epoch FROM epoch`,
);

const RAISE_EPOCH = statement(
  "raise_epoch",
  `
  WITH raised AS (
    UPDATE epoch SET number = number + 1 WHERE NOT EXISTS (SELECT 1 FROM epoch_marks) RETURNING number
  )
  INSERT INTO epoch_marks SELECT number FROM raised
  `,
);

/** $1 this host, $2 the name of what it was. */
const BURY = [
  BURY_HOST,
  statement("bury_sessions", "UPDATE sessions SET host = $2 WHERE host = $1"),
  statement("bury_children", "UPDATE children SET host = $2 WHERE host = $1"),
  statement("bury_commands", "UPDATE commands SET taken = NULL WHERE taken = $1 AND ok IS NULL AND $2 <> ''"),
  statement("bury_records", "UPDATE records SET claim = $2 WHERE claim = $1"),
  statement("bury_claims", "DELETE FROM blob_claims WHERE host = $1 AND $2 <> ''"),
  statement("bury_row", "DELETE FROM hosts WHERE id = $1 AND $2 <> ''"),
];

const AGAIN_AFTER = 250;
/** Beats between two looks for leases that this host does not know of. */
const LOOK_EVERY = 5;

/** What the presence of a host tells those who keep its things. */
interface PresenceListener {
  /** Nothing that this host held is its own any more. */
  lost(): void;
  /** What this host lost is there for others. */
  buried(): void;
  /** The database may have lost what was not synced. */
  epochRose(): void;
  /** The time of the database, Unix milliseconds, as it was at the given moment of the monotonic clock. */
  time(now: number, at: number): void;
}

/**
 * The presence of this host among the others. Its word lasts for a time after each beat; when it could not be renewed, the
 * host counts as lost, by its own clock and before anybody may take over from it. What it held then goes to the others, under
 * the name of a host that ended, as soon as the database answers again.
 */
export class Presence {
  readonly #context: PostgresContext;
  readonly #listener: PresenceListener;
  #registering: Promise<void> | undefined;
  #isRegistered = false;
  #registrations = 0;
  #epoch: number | undefined;
  #losses = 0;
  #burying: Promise<void> | undefined;
  #cancel: () => void = () => undefined;
  #closed = false;
  readonly #unheard: UnheardLeases;
  #beats = 0;

  constructor(context: PostgresContext, listener: PresenceListener) {
    this.#context = context;
    this.#listener = listener;
    this.#unheard = new UnheardLeases(context);
  }

  get isRegistered(): boolean {
    return this.#isRegistered;
  }

  /** How often it was said that this host is there: who sends what needs that keeps the count for `forgotten`. */
  get registrations(): number {
    return this.#registrations;
  }

  /** This host's word has run out, and what it held is not given to the others yet. */
  get isLost(): boolean {
    return this.#burying !== undefined;
  }

  /** The epoch of the database, as far as this host knows; the database has another one when it has crashed since. */
  get epoch(): number {
    return this.#epoch ?? 0;
  }

  /** Reads the time of the database and its epoch. */
  async readTime(): Promise<void> {
    const { sql, clock } = this.#context;
    const at = clock.monotonic();
    const [row = {}] = await sql.query(TIME);
    this.#listener.time(integer(row, "now"), at);
    await this.#noteEpoch(sql, row);
  }

  /** How long a request waits for a database that is away, in milliseconds. */
  get patienceMs(): number {
    return this.#context.patienceMs;
  }

  register(): Promise<void> {
    if (this.#isRegistered) return Promise.resolve();
    this.#registering ??= this.#register().finally(() => (this.#registering = undefined));
    return this.#registering;
  }

  /**
   * The database does not know this host: its word is worth nothing, however long it would last.
   *
   * @param registrations - those before the statement that found this; one that came since is not meant
   */
  forgotten(registrations: number): void {
    if (registrations !== this.#registrations) return;
    if (this.#closed) this.#isRegistered = false;
    else this.#lose();
  }

  /** Renews this host's word; `false` when there is nothing to renew. */
  async beat(): Promise<boolean> {
    const { beats, host, clock } = this.#context;
    if (!this.#isRegistered || this.isLost) return this.isLost;
    const at = clock.monotonic();
    const [row] = await beats.query(BEAT, [host.id]);
    if (!this.#isRegistered) return true;
    if (row === undefined) {
      this.#lose();
      return true;
    }
    this.#renewed(at);
    this.#listener.time(integer(row, "now"), at);
    await this.#noteEpoch(beats, row);
    this.#beats += 1;
    if (this.#beats % LOOK_EVERY === 0) this.#unheard.look(() => this.#listener.buried());
    return true;
  }

  /** Its time as a host is over; what it still holds stays as the caller leaves it. */
  stop(): void {
    this.#closed = true;
    this.#cancel();
    this.#unheard.stop();
  }

  /** Resolves once nothing is left to give back of what was lost. */
  async settled(): Promise<void> {
    await this.#burying;
  }

  async #noteEpoch(sql: Sql, row: ResultRow): Promise<void> {
    const hasCrashed = row["marked"] === false;
    if (hasCrashed) await sql.query(RAISE_EPOCH);
    const epoch = integer(row, "epoch") + (hasCrashed ? 1 : 0);
    const isNew = this.#epoch !== undefined && epoch > this.#epoch;
    this.#epoch = epoch;
    if (isNew) this.#listener.epochRose();
  }

  async #register(): Promise<void> {
    await this.#burying;
    const { beats, clock, host } = this.#context;
    const at = clock.monotonic();
    await beats.query(REGISTER, valuesOf(host));
    this.#isRegistered = true;
    this.#registrations += 1;
    this.#renewed(at);
  }

  #renewed(at: number): void {
    const { clock, lease } = this.#context;
    this.#cancel();
    if (this.#closed || !Number.isFinite(lease.stopAfterMs)) return;
    this.#cancel = clock.after(at + lease.stopAfterMs - clock.monotonic(), () => this.#lose());
  }

  #lose(): void {
    if (this.#closed || !this.#isRegistered) return;
    this.#cancel();
    this.#isRegistered = false;
    this.#losses += 1;
    this.#context.held.clear();
    this.#burying = this.#bury(`${this.#context.host.id}~${this.#losses}`).then(() => {
      this.#burying = undefined;
      if (!this.#closed) this.#listener.buried();
    });
    this.#listener.lost();
  }

  async #bury(name: string): Promise<void> {
    const { beats, host } = this.#context;
    while (!this.#closed) {
      try {
        return await beats.transaction(async (within) => {
          await within.query(LOCK_HOST, [host.id]);
          for (const each of BURY) await within.query(each, [host.id, name]);
        });
      } catch {
        // The database is still away.
        await pause(AGAIN_AFTER);
      }
    }
  }
}

const valuesOf = (host: HostEntry): readonly unknown[] => [
  host.id,
  host.machineId,
  host.bootId,
  host.pidNamespace,
  host.pid,
  host.startedAt,
];
