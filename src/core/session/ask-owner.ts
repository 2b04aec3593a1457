import {
  type ErrorRecord,
  HostError,
  isErrorCode,
  toHostError,
  errorRecord,
} from "../../shared/errors/host-error.ts";
import type { Owner } from "../state/status.ts";
import type { Services } from "../ports/services.ts";
import type { CommandResult } from "../ports/store.ts";

/** How long a living owner may take to answer. */
const PATIENCE_MS = 15_000;

/** What is asked of the process that drives a session. */
interface Request {
  readonly session: string;
  readonly kind: string;
  readonly input: unknown;
}

/**
 * Lets the process that drives a session carry out an operation, and gives its answer or throws its error; `undefined`
 * when it is not the owner any more, or was dead and its sessions have been taken over: try again.
 *
 * @param request - `last`: there will be no other try, so that the failure is thrown instead
 * @throws HostError `session_unreachable` when it lives but does not answer
 */
export async function askInstead(
  host: { readonly services: Services; sweep(): Promise<void> },
  owner: Owner,
  { last, ...request }: Request & { readonly last: boolean },
): Promise<{ readonly value: unknown } | undefined> {
  if (!owner.alive) {
    if (last)
      throw new HostError("session_unreachable", `Session ${request.session} could not be taken over.`);
    await host.sweep();
    return undefined;
  }
  try {
    return { value: await askOwner(host.services, request, owner) };
  } catch (thrown) {
    const error = toHostError(thrown);
    if (error.code !== "lease_lost" || last) throw error;
    return undefined;
  }
}

async function askOwner(
  { store, clock, hex }: Pick<Services, "store" | "clock" | "hex">,
  request: Request,
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

export const errorResult = (id: string, thrown: unknown): CommandResult => ({
  id,
  ok: false,
  body: JSON.stringify(errorRecord(toHostError(thrown))),
});
