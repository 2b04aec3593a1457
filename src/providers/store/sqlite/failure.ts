import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, HostError, toHostError } from "../../../shared/errors/host-error.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { InvalidValueError } from "./columns.ts";

/** The result codes of SQLite that this store tells apart. */
export const SQLITE = {
  error: 1,
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

/** The results of a failed sync: writes since the last good sync may be lost, even if a later sync succeeds. */
const FAILED_SYNCS = new Set([1034, 1290]);

/** SQLite's extended result code, or `undefined` when the error is none of SQLite's. */
function sqliteCode(thrown: unknown): number | undefined {
  return thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number"
    ? thrown.errcode
    : undefined;
}

/** SQLite's result code without the details. */
export function sqliteResult(thrown: unknown): number | undefined {
  const code = sqliteCode(thrown);
  return code === undefined ? undefined : code & 0xff;
}

export const isFailedSync = (thrown: unknown): boolean =>
  thrown instanceof FailedSyncError || FAILED_SYNCS.has(sqliteCode(thrown) ?? 0);

/** The same, of a sync that the store itself asked for. */
export class FailedSyncError extends Error {}

/** Whether an error says that the stored data has changed, and not that it cannot be reached. */
export function isDamage(thrown: unknown): boolean {
  return (
    thrown instanceof InvalidValueError ||
    thrown instanceof SyntaxError ||
    sqliteResult(thrown) === SQLITE.corrupt ||
    // A number beyond what JavaScript can hold: no version of this program has written one.
    systemErrorCode(thrown) === "ERR_OUT_OF_RANGE"
  );
}

/** Makes one clear error of a failure of a store's file, with the remedy. */
export function storeFailure(thrown: unknown, file: string): HostError {
  if (thrown instanceof HostError) return thrown;
  return sqliteFailure(thrown, file) ?? fileFailure(thrown, file) ?? toHostError(thrown);
}

function sqliteFailure(thrown: unknown, file: string): HostError | undefined {
  const code = sqliteResult(thrown);
  switch (code) {
    case undefined:
      return undefined;
    case SQLITE.full:
      return full(file, thrown);
    case SQLITE.error:
      // Every statement fits the schema of this version: the schema must have changed.
      return corrupt(file, "has lost parts of its schema", thrown);
    case SQLITE.corrupt:
      return corrupt(file, "is damaged", thrown);
    case SQLITE.notADatabase:
      return corrupt(file, "is not a database", thrown);
    case SQLITE.readonly:
    case SQLITE.cannotOpen:
      return isFull(file) ? full(file, thrown) : notWritable(file, thrown);
    case SQLITE.busy:
    case SQLITE.locked:
      return new HostError(
        "store_unavailable",
        `The store ${file} stayed locked by another process for too long. Try again, or end the process that holds it.`,
        { cause: thrown },
      );
    case SQLITE.io:
      return isFull(file) ? full(file, thrown) : unreadable(file, thrown);
    default:
      return undefined;
  }
}

const FULL = ["ENOSPC", "EDQUOT"];
const NOT_WRITABLE = ["EACCES", "EPERM", "EROFS"];
const UNREADABLE = [
  "EEXIST",
  "ENOTDIR",
  "EISDIR",
  "ENOENT",
  "ELOOP",
  "ENAMETOOLONG",
  "EIO",
  "EMFILE",
  "ENFILE",
];

function fileFailure(thrown: unknown, file: string): HostError | undefined {
  const code = systemErrorCode(thrown) ?? "";
  if (FULL.includes(code)) return full(file, thrown);
  if (NOT_WRITABLE.includes(code)) return notWritable(file, thrown);
  return UNREADABLE.includes(code) ? unreadable(file, thrown) : undefined;
}

const full = (file: string, cause: unknown): HostError =>
  new HostError("store_full", `The disk that holds ${file} is full. Free some space there, then try again.`, {
    cause,
  });

const notWritable = (file: string, cause: unknown): HostError =>
  new HostError(
    "store_unavailable",
    `The store ${file} cannot be opened for writing. Make it and its folder writable for this user, or set AGENT_HOME to a folder that is.`,
    { cause },
  );

const unreadable = (file: string, cause: unknown): HostError =>
  new HostError(
    "store_unavailable",
    `The store ${file} cannot be used: ${messageOf(cause)}. Check the disk and the path, or set AGENT_HOME to another folder.`,
    { cause },
  );

/** @param what - goes on from the file's name */
export const corrupt = (file: string, what: string, cause?: unknown): HostError =>
  new HostError(
    "store_corrupt",
    `The store ${file} ${what}. Nothing was changed: restore the file from a backup, or move it away to start with an empty store.`,
    { cause },
  );

/** Less than this and SQLite cannot even grow its shared index. */
const LEAST_SPACE = 64 * 1024;

function isFull(file: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < LEAST_SPACE;
  } catch {
    // The folder is gone: that is another failure.
    return false;
  }
}
