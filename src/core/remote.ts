import type { Clock } from "./clock.ts";
import { type ErrorRecord, HostError, isErrorCode, toHostError, errorRecord } from "./errors.ts";
import type { RandomHex } from "./ids.ts";
import type { Owner } from "./owner.ts";
import type { CommandResult, Store } from "./store.ts";

/** How long a living owner may take to answer. */
const PATIENCE_MS = 15_000;

/**
 * Asks the process that drives a session, and gives its answer or throws its error.
 *
 * @throws HostError `session_unreachable` when it lives but does not answer, `lease_lost` when it is not the owner any
 * more or died: try again
 */
export async function askOwner(
  { store, clock, hex }: { readonly store: Store; readonly clock: Clock; readonly hex: RandomHex },
  request: { readonly session: string; readonly kind: string; readonly input: unknown },
  owner: Owner,
): Promise<unknown> {
  const started = clock.monotonic();
  const result = await store.send({
    id: `cmd_${hex(8)}`,
    session: request.session,
    kind: request.kind,
    payload: JSON.stringify(request.input),
    deadline: clock.now() + PATIENCE_MS,
  });
  if (result === undefined && clock.monotonic() - started < PATIENCE_MS) {
    throw new HostError("lease_lost", `Process ${owner.pid} died before it answered.`);
  }
  if (result === undefined) {
    throw new HostError(
      "session_unreachable",
      `Process ${owner.pid} drives session ${request.session} and does not answer. If it hangs, end it; the session is then taken over.`,
    );
  }
  const body: unknown = JSON.parse(result.body);
  if (result.ok) return body;
  throw fromRecord(body);
}

/** The error of another process, as it was there. */
function fromRecord(body: unknown): HostError {
  // The record was written by `errorRecord` in a process of the same home.
  const { code, message, details } = body as ErrorRecord;
  return new HostError(
    isErrorCode(code) ? code : "internal",
    message,
    details === undefined ? {} : { details },
  );
}

export const failed = (id: string, thrown: unknown): CommandResult => ({
  id,
  ok: false,
  body: JSON.stringify(errorRecord(toHostError(thrown))),
});
