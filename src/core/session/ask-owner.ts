import { type ErrorRecord, HostError, isErrorCode } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Services } from "../ports/services.ts";

/** Milliseconds that a living owner may take to answer. */
const ANSWER_MS = 15_000;

/** A request to the process that drives a session. */
export interface OwnerRequest {
  readonly session: string;
  readonly kind: string;
  readonly input: unknown;
}

/** The value of an operation that the owner carried out. */
export interface OwnerAnswer {
  readonly value: unknown;
}

/**
 * Lets the process that drives a session carry out an operation, and gives its answer or throws its error; `undefined`
 * when no process holds the lease, or the one that did has let go of it or died without an answer.
 *
 * @throws HostError `session_unreachable` when the process lives but does not answer
 */
export async function askOwner(
  { store, clock, hex }: Pick<Services, "store" | "clock" | "hex">,
  { session, kind, input }: OwnerRequest,
): Promise<OwnerAnswer | undefined> {
  const started = clock.monotonic();
  const result = await store.send({
    id: `cmd_${hex(8)}`,
    session,
    kind,
    payload: JSON.stringify(input),
    deadline: clock.now() + ANSWER_MS,
  });
  if (result === undefined) {
    if (clock.monotonic() - started < ANSWER_MS) return undefined;
    const pid = (await store.record(session))?.owner?.pid ?? "unknown";
    throw new HostError(
      "session_unreachable",
      `Process ${pid} drives session ${session} and does not answer. If it hangs, end it; the session is then taken over.`,
    );
  }
  const body: unknown = JSON.parse(result.body);
  if (result.ok) return { value: body };
  const error = fromRecord(body);
  if (error.code === "lease_lost") return undefined;
  throw error;
}

/** The error of another process, as it was there. */
function fromRecord(body: unknown): HostError {
  // The record was written by `errorRecord` in a process of the same home.
  const { code, message, details } = body as ErrorRecord;
  return new HostError(isErrorCode(code) ? code : "internal", message, defined({ details }));
}
