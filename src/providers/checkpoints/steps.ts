import type { Database } from "../store/sqlite/database.ts";
import { integer, nullableText, type ResultRow, text } from "../store/sqlite/columns.ts";
import {
  type BytePath,
  decodeState,
  encodeState,
  type FileState,
  hashOf,
  isSameState,
} from "./file-state.ts";
import { blobPath, pathBlob } from "./tree.ts";

/** The kind of a step: a change of named files, a command, one in the background, or a way back. */
export type StepKind = "edit" | "command" | "background" | "rewind";

/** One thing that changed files: a call of a tool, or a rewind. */
export interface Step {
  readonly id: number;
  readonly session: string;
  readonly turn: string;
  readonly cursor: number;
  readonly root: number;
  readonly kind: StepKind;
  readonly label: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly owner: string | undefined;
  readonly beat: number;
}

/** A change of one path by a step. */
export interface StepChange {
  readonly step: number;
  readonly path: BytePath;
  readonly pre: FileState;
  /** Absent while the step is at work. */
  readonly post?: FileState;
  /** Somebody else may have made it. */
  readonly shared: boolean;
  /** Its place in the order of changes: when it began, and when it was last seen. */
  readonly since: number;
  readonly until: number;
}

/** The steps of a home's sessions, and what each changed. */
export class StepLog {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Inside a transaction of the caller's. */
  open(step: Omit<Step, "id" | "beat"> & { readonly owner: string }): number {
    return this.#database.insert("steps", { ...step, ended: null, beat: step.at, notes: "[]" });
  }

  close(id: number, at: number, notes: readonly string[] = []): void {
    this.#database.update("steps", { owner: null, ended: at, notes: JSON.stringify(notes) }, { id });
  }

  keepOpen(id: number): void {
    this.#database.update("steps", { kind: "background" }, { id });
  }

  beat(owner: string, at: number): void {
    this.#database.write(false, () =>
      this.#database.run("UPDATE steps SET beat = ? WHERE owner = ?", at, owner),
    );
  }

  get(id: number): Step | undefined {
    const row = this.#database.one("SELECT * FROM steps WHERE id = ?", id);
    return row && stepOf(row);
  }

  openIn(root: number): readonly Step[] {
    return this.#database
      .all("SELECT * FROM steps WHERE root = ? AND owner IS NOT NULL ORDER BY id", root)
      .map(stepOf);
  }

  anyOpen(): boolean {
    return this.#database.one("SELECT 1 AS found FROM steps WHERE owner IS NOT NULL LIMIT 1") !== undefined;
  }

  /** Those of a session after a cursor, the oldest first. */
  of(session: string, after = -1): readonly Step[] {
    return this.#database
      .all("SELECT * FROM steps WHERE session = ? AND cursor > ? ORDER BY id", session, after)
      .map(stepOf);
  }

  notes(id: number): readonly string[] {
    const row = this.#database.one("SELECT notes FROM steps WHERE id = ?", id);
    // Only `close` writes it.
    return row === undefined ? [] : (JSON.parse(text(row, "notes")) as string[]);
  }

  /** Notes what a step did to a path; what it found there first stays. */
  note({ step, path, pre, post, shared }: Omit<StepChange, "since" | "until">): void {
    const order = this.#database.integer("next", "SELECT coalesce(max(until), 0) + 1 AS next FROM changes");
    this.#database.insert(
      "changes",
      {
        step,
        path: pathBlob(path),
        pre: encodeState(pre),
        post: post === undefined ? null : encodeState(post),
        pre_hash: hashOf(pre),
        post_hash: post === undefined ? null : hashOf(post),
        shared: shared ? 1 : 0,
        since: order,
        until: order,
      },
      `ON CONFLICT DO UPDATE SET post = excluded.post, post_hash = excluded.post_hash, until = excluded.until,
         shared = max(shared, excluded.shared)`,
    );
  }

  changes(step: number): readonly StepChange[] {
    return this.#database
      .all("SELECT * FROM changes WHERE step = ? ORDER BY path", step)
      .map((row): StepChange => {
        const post = nullableText(row, "post");
        return {
          step,
          path: blobPath(row["path"]),
          pre: decodeState(text(row, "pre")),
          shared: integer(row, "shared") === 1,
          since: integer(row, "since"),
          until: integer(row, "until"),
          ...(post === undefined ? {} : { post: decodeState(post) }),
        };
      });
  }

  /** Whether somebody else's named change, made while a step was at work, explains what is there now. */
  isExplained({ id, at, session, root }: Step, path: BytePath, now: FileState): boolean {
    return this.#database
      .all(
        `SELECT c.post AS post FROM changes AS c JOIN steps AS s ON s.id = c.step
         WHERE s.root = ? AND s.session <> ? AND s.kind IN ('edit', 'rewind') AND c.path = ?
           AND c.post IS NOT NULL AND (s.id > ? OR s.owner IS NOT NULL OR s.ended >= ?)`,
        root,
        session,
        pathBlob(path),
        id,
        at,
      )
      .some((row) => isSameState(decodeState(text(row, "post")), now));
  }

  forget(session: string): void {
    this.#database.run("DELETE FROM steps WHERE session = ?", session);
    this.#database.run("DELETE FROM dropped WHERE session = ?", session);
  }

  /** Copies a session's steps up to a cursor for a branch of it. */
  copy(from: string, to: string, upTo: number): void {
    for (const step of this.of(from).filter(({ cursor }) => cursor <= upTo)) {
      const { id, beat, ...rest } = step;
      const copied = this.#database.insert("steps", {
        ...rest,
        session: to,
        owner: null,
        ended: step.at,
        beat,
        notes: JSON.stringify(this.notes(id)),
      });
      this.#database.run(
        `INSERT INTO changes SELECT ?, path, pre, coalesce(post, pre), pre_hash, coalesce(post_hash, pre_hash), shared,
           since, until
         FROM changes WHERE step = ?`,
        copied,
        id,
      );
    }
    this.#database.run(
      `INSERT INTO dropped SELECT ?, turn, cursor FROM dropped WHERE session = ? AND cursor <= ?
       ON CONFLICT DO NOTHING`,
      to,
      from,
      upTo,
    );
  }
}

function stepOf(row: ResultRow): Step {
  return {
    id: integer(row, "id"),
    session: text(row, "session"),
    turn: text(row, "turn"),
    cursor: integer(row, "cursor"),
    root: integer(row, "root"),
    // Only `open` and `keepOpen` write it.
    kind: text(row, "kind") as StepKind,
    label: text(row, "label"),
    at: integer(row, "at"),
    owner: nullableText(row, "owner"),
    beat: integer(row, "beat"),
  };
}
