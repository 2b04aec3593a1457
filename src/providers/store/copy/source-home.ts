import { createHash } from "node:crypto";
import { existsSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Piece, RecordDraft, StoredRow } from "../../../core/index.ts";
import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import { PIECE_FOLDER, PieceFolder } from "../pieces/piece-folder.ts";
import type { ProcessIdentity } from "../process-identity.ts";
import { integer, nullableInteger, nullableText, type ResultRow, text } from "../sqlite/columns.ts";
import { Database } from "../sqlite/database.ts";
import { storeFailure } from "../sqlite/failure.ts";
import { HOST_COLUMNS, hostEntry } from "../sqlite/host-entry.ts";
import { DATABASE_FILE } from "../sqlite/open-database.ts";
import { piecesOf } from "../sqlite/pieces.ts";
import { requireNewest } from "../sqlite/schema.ts";
import { processesWith } from "./home-users.ts";

/** A session as it stands in a home. */
export interface SourceSession {
  readonly key: number;
  readonly id: string;
  readonly n: number;
  readonly seq: number;
  readonly damagedAt: number | undefined;
  /** The columns that lists select and sort by. */
  readonly columns: Readonly<Record<string, string | number>>;
  readonly state: { readonly version: number; readonly body: string; readonly crc: number } | undefined;
  /** A process drove it when it died. */
  readonly held: boolean;
  readonly reserved: number;
}

/** A row with the checksum that stands beside it. */
export interface SourceRow extends StoredRow {
  readonly crc: number;
}

/** A record with its place in lists. */
export interface SourceRecord extends RecordDraft {
  readonly position: number;
  readonly version: number;
}

/** An entry of the feed. */
export interface SourceFeedEntry {
  readonly position: number;
  readonly session: string;
  readonly seq: number;
  readonly at: number;
}

/** The numbers of what a home holds. */
export interface HomeCounts {
  readonly sessions: number;
  readonly rows: number;
  readonly records: number;
  readonly blobs: number;
}

const LIST_COLUMNS = [
  "active_at",
  "marks",
  "platform",
  "source",
  "cwd",
  "title",
  "words",
  "waiting",
  "doing",
  "user",
  "people",
] as const;

/** A home on SQLite that is only read, as it is at one moment. */
export class SourceHome implements Disposable {
  readonly home: string;
  readonly #database: Database;
  readonly #saved: PieceFolder;

  /**
   * Opens a home.
   *
   * @throws HostError `not_found` where there is none, `store_unavailable` while a process has it open, `store_*`
   */
  constructor(home: string, identity: ProcessIdentity, isRunning: (process: ProcessIdentity) => boolean) {
    const file = join(home, DATABASE_FILE);
    if (!existsSync(file))
      throw new HostError("not_found", `There is no home with sessions in ${home}: ${file} is not there.`);
    this.home = realpathSync(home);
    this.#saved = new PieceFolder(join(home, PIECE_FOLDER));
    requireNobody(file, processesWith(file, identity.pid));
    // A log beside it was left by a process that died: it is read with it.
    this.#database = new Database(file, existsSync(`${file}-wal`) ? "read" : "still");
    try {
      this.#database.execute("BEGIN");
      requireNewest(this.#database);
      requireNobody(file, this.#living(identity, isRunning));
    } catch (thrown) {
      this.#database.close();
      throw storeFailure(thrown, file);
    }
  }

  /** The mark of this home, the same as long as its database is. */
  get mark(): string {
    const { dev, ino, birthtimeMs } = statSync(join(this.home, DATABASE_FILE));
    return createHash("sha256")
      .update(`${this.home} ${dev} ${ino} ${birthtimeMs}`)
      .digest("hex")
      .slice(0, 32);
  }

  counts(now: number): HomeCounts {
    const count = (sql: string, ...values: number[]): number =>
      this.#database.integer("count", `SELECT count(*) AS count FROM ${sql}`, ...values);
    return {
      sessions: count("sessions WHERE id IS NOT NULL"),
      rows: this.#database.integer(
        "count",
        "SELECT coalesce(sum(n), 0) AS count FROM sessions WHERE id IS NOT NULL",
      ),
      records: count(`records WHERE ${ALIVE}`, now),
      blobs: count("(SELECT DISTINCT hash FROM blob_refs)"),
    };
  }

  /** The sessions after one of them, in the order in which they were made. */
  sessions(after: number, limit: number): readonly SourceSession[] {
    const found = this.#database.all(
      `SELECT s.*, t.version AS state_version, t.body AS state_body, t.crc AS state_crc, l.host AS holder, l.reserved
       FROM sessions s LEFT JOIN states t ON t.session = s.key LEFT JOIN leases l ON l.session = s.key
       WHERE s.id IS NOT NULL AND s.key > ? ORDER BY s.key LIMIT ?`,
      after,
      limit,
    );
    return found.map(sourceSession);
  }

  /** Some rows of a session after a cursor, as they are stored, also those whose checksums are wrong. */
  rows(session: number, after: number, limit: number): readonly SourceRow[] {
    const found = this.#database.all(
      "SELECT n, seq, at, type, mid, body, crc FROM rows WHERE session = ? AND seq > ? ORDER BY seq LIMIT ?",
      session,
      after,
      limit,
    );
    return found.map((row) => ({
      n: integer(row, "n"),
      seq: integer(row, "seq"),
      at: integer(row, "at"),
      type: text(row, "type"),
      mid: row["mid"] === 1,
      body: text(row, "body"),
      crc: integer(row, "crc"),
    }));
  }

  /** The streamed text that no row holds, also what the process that died had saved beside the database. */
  pieces({ key, n, seq, damagedAt }: SourceSession): readonly Piece[] {
    return piecesOf({ database: this.#database, saved: this.#saved }, { key, head: { n, seq }, damagedAt });
  }

  blobsOf(session: number): readonly string[] {
    const found = this.#database.all("SELECT hash FROM blob_refs WHERE session = ? ORDER BY hash", session);
    return found.map((row) => text(row, "hash"));
  }

  /** All blobs that sessions name. */
  blobs(): readonly string[] {
    const found = this.#database.all(
      "SELECT DISTINCT b.hash FROM blob_refs b JOIN sessions s ON s.key = b.session WHERE s.id IS NOT NULL ORDER BY b.hash",
    );
    return found.map((row) => text(row, "hash"));
  }

  /** Records that have not expired, after a position; no process works on any. */
  records(after: number, limit: number, now: number): readonly SourceRecord[] {
    const found = this.#database.all(
      `SELECT * FROM records WHERE ${ALIVE} AND position > ?2 ORDER BY position LIMIT ?3`,
      now,
      after,
      limit,
    );
    return found.map((row) =>
      defined({
        position: integer(row, "position"),
        version: integer(row, "version"),
        space: text(row, "space"),
        key: text(row, "key"),
        value: text(row, "value"),
        parent: nullableText(row, "parent"),
        dueAt: nullableInteger(row, "due_at"),
        expiresAt: nullableInteger(row, "expires_at"),
      }),
    );
  }

  feed(after: number, limit: number): readonly SourceFeedEntry[] {
    const found = this.#database.all(
      `SELECT f.position, f.seq, f.at, s.id FROM feed f JOIN sessions s ON s.key = f.session
       WHERE s.id IS NOT NULL AND f.position > ? ORDER BY f.position LIMIT ?`,
      after,
      limit,
    );
    return found.map((row) => ({
      position: integer(row, "position"),
      session: text(row, "id"),
      seq: integer(row, "seq"),
      at: integer(row, "at"),
    }));
  }

  /** The last positions that were given out, whatever became of them. */
  lastPositions(): { readonly records: number; readonly feed: number } {
    const last = (table: string): number =>
      this.#database.integer(
        "seq",
        "SELECT coalesce(max(seq), 0) AS seq FROM sqlite_sequence WHERE name = ?",
        table,
      );
    return { records: last("records"), feed: last("feed") };
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }

  /** Processes of this machine that hold something in it and run. */
  #living(identity: ProcessIdentity, isRunning: (process: ProcessIdentity) => boolean): readonly number[] {
    const hosts = this.#database.all(`SELECT ${HOST_COLUMNS} FROM hosts h WHERE ended = 0`).map(hostEntry);
    return hosts
      .filter((host) => host.bootId === identity.bootId && host.pidNamespace === identity.pidNamespace)
      .filter(isRunning)
      .map(({ pid }) => pid);
  }
}

const ALIVE = "(expires_at IS NULL OR expires_at > ?1)";

function sourceSession(row: ResultRow): SourceSession {
  const version = nullableInteger(row, "state_version");
  return {
    key: integer(row, "key"),
    id: text(row, "id"),
    n: integer(row, "n"),
    seq: integer(row, "seq"),
    damagedAt: nullableInteger(row, "damaged_at"),
    columns: Object.fromEntries(
      LIST_COLUMNS.map((name) => [
        name,
        typeof row[name] === "number" ? integer(row, name) : text(row, name),
      ]),
    ),
    state:
      version === undefined
        ? undefined
        : { version, body: text(row, "state_body"), crc: integer(row, "state_crc") },
    held: typeof row["holder"] === "string",
    reserved: nullableInteger(row, "reserved") ?? 0,
  };
}

function requireNobody(file: string, pids: readonly number[]): void {
  if (pids.length === 0) return;
  throw new HostError(
    "store_unavailable",
    `A process has ${file} open: ${pids.join(", ")}. Stop the gateway, the dashboard and all windows of the agent first, so that nothing is written behind the copy; then try again.`,
  );
}
