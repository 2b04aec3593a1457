import { SQLITE, sqliteResult } from "./failure.ts";
import { systemErrorCode } from "../../../shared/errors/system-error.ts";
import { InvalidValueError } from "./columns.ts";

/** Whether an error says that what was stored is no longer what is there, and not that it cannot be reached. */
export function isDamage(thrown: unknown): boolean {
  return (
    thrown instanceof InvalidValueError ||
    thrown instanceof SyntaxError ||
    sqliteResult(thrown) === SQLITE.storeCorrupt ||
    // A number beyond what JavaScript can hold: no version of this program has written one.
    systemErrorCode(thrown) === "ERR_OUT_OF_RANGE"
  );
}
