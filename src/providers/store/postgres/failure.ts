import { HostError, messageOf, toHostError } from "../../../shared/errors/host-error.ts";

/** What a failure says about the database: whether another try may go well. */
type Kind = "away" | "busy" | "full" | "readonly" | "refused" | "mixed" | "broken";

/** PostgreSQL's codes and the system's, by what they say. Two letters stand for a class of codes. */
const KINDS: Readonly<Record<string, Kind>> = {
  "08": "away",
  "25P03": "away",
  "57P01": "away",
  "57P02": "away",
  "57P03": "away",
  ECONNREFUSED: "away",
  ECONNRESET: "away",
  EPIPE: "away",
  ETIMEDOUT: "away",
  EHOSTUNREACH: "away",
  ENETUNREACH: "away",
  ENOTFOUND: "away",
  EAI_AGAIN: "away",
  "40001": "busy",
  "40P01": "busy",
  "55P03": "busy",
  "53300": "busy",
  "53100": "full",
  "25006": "readonly",
  "28": "refused",
  "3D000": "refused",
  "42501": "refused",
  "26000": "mixed",
  "42P05": "mixed",
  "42": "broken",
  XX: "broken",
  "58": "broken",
};

/** Errors of the client that carry no code. */
const AWAY =
  /Connection terminated|connection is closed|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed/i;

/** The failure of a database that another try, a moment later, may not meet. */
export class PassingFailure extends HostError {
  /** The statement may have been carried out nevertheless. */
  readonly isUnknown: boolean;

  constructor(message: string, options: { readonly cause: unknown; readonly isUnknown: boolean }) {
    super("store_unavailable", message, { cause: options.cause });
    this.isUnknown = options.isUnknown;
  }
}

/** Makes one clear error of a failure of the database at `where`, with the remedy. */
export function databaseFailure(thrown: unknown, where: string): HostError {
  if (thrown instanceof HostError) return thrown;
  const said = messageOf(thrown);
  switch (kindOf(thrown)) {
    case "away":
      return new PassingFailure(
        `The database ${where} does not answer: ${said}. Requests go on when it is back; nothing that was confirmed is lost.`,
        { cause: thrown, isUnknown: true },
      );
    case "busy":
      return new PassingFailure(
        `The database ${where} cannot take the request now: ${said}. Raise its max_connections, or put a pooler in front of it.`,
        { cause: thrown, isUnknown: false },
      );
    case "readonly":
      return new PassingFailure(
        `The database ${where} is read-only: it is a replica, or somebody made it so. Name the primary in store.url, or let it be written again.`,
        { cause: thrown, isUnknown: false },
      );
    case "full":
      return new HostError(
        "store_full",
        `The disk of the database ${where} is full. Free some space there; the host goes on by itself.`,
        { cause: thrown },
      );
    case "refused":
      return new HostError(
        "store_unavailable",
        `The database ${where} refuses this host: ${said}. Check user, password and database in store.url, and the user's rights.`,
        { cause: thrown },
      );
    case "mixed":
      return new HostError(
        "store_unavailable",
        `A pooler before the database ${where} mixes prepared statements up: ${said}. With PgBouncer 1.21 or newer set max_prepared_statements = 200, or name the database itself in store.url.`,
        { cause: thrown },
      );
    case "broken":
      return new HostError(
        "store_corrupt",
        `The database ${where} is not as this version left it: ${said}. Restore it from a backup, or name another one in store.url.`,
        { cause: thrown },
      );
    case undefined:
      return toHostError(thrown);
  }
}

/** The refusal of a request that nobody can wait for: this host was cut off from its database. */
export const databaseAway = (where: string): HostError =>
  new HostError(
    "store_unavailable",
    `The database ${where} does not answer. Requests go on when it is back; nothing that was confirmed is lost.`,
  );

/** The error of a request of which nobody can say whether it was carried out. */
export const unknownOutcome = (where: string, cause?: unknown): HostError =>
  new HostError(
    "store_unavailable",
    `The connection to the database ${where} broke before it answered: look whether it was done, then try again.`,
    { cause },
  );

/** The error of an append that would name what nobody can read any more. */
export const blobGone = (session: string): HostError =>
  new HostError(
    "blob_not_found",
    `A file of session ${session} was removed before it was named. Send it again.`,
  );

function kindOf(thrown: unknown): Kind | undefined {
  const code =
    thrown instanceof Error && "code" in thrown && typeof thrown.code === "string" ? thrown.code : "";
  const kind = KINDS[code] ?? KINDS[code.slice(0, 2)];
  if (kind !== undefined) return kind;
  if (thrown instanceof AggregateError) return kindOf(thrown.errors[0]);
  return thrown instanceof Error && AWAY.test(thrown.message) ? "away" : undefined;
}
