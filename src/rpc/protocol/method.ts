import type { z } from "zod";
import type { ErrorCode } from "../../shared/errors/host-error.ts";

/** One row of the method table: what comes in, what goes out, and how its failures are numbered. */
export interface Method<P extends z.ZodObject = z.ZodObject, R extends z.ZodType = z.ZodType> {
  /** One sentence for the reference. */
  readonly summary: string;
  readonly params: P;
  readonly result: R;
  /** Numbers of errors where they differ from the default in `ERROR_CODES`. */
  readonly codes?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** The error number of a parameter that is missing or of the wrong type; -32602 for all others. */
  readonly wrong?: Readonly<Record<string, number>>;
  /** The parameter that the core's errors about a wrong value mean, where it has no word of its own for it. */
  readonly about?: string;
  /** Requests of such methods to one session, its `session_id`, are carried out one after the other, as they came. */
  readonly inOrder?: true;
}

/** Adds a row to the table. */
export const method = <P extends z.ZodObject, R extends z.ZodType>(row: Method<P, R>): Method<P, R> => row;

/** A row whose `session_id` must be known: an id that never existed is 4001. */
export const sessionMethod = <P extends z.ZodObject, R extends z.ZodType>(
  row: Method<P, R>,
): Method<P, R> => ({ ...row, codes: { session_not_found: 4001, ...row.codes } });
