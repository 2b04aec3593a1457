import { sleep } from "../../shared/async/clock.ts";
import { HostError, type ErrorRecord, isErrorCode, toHostError } from "../../shared/errors/host-error.ts";
import { LeaseHeldError } from "../log/errors.ts";
import type { DriverPorts } from "../turn/driver.ts";
import type { OperationInput, OperationName, OperationValue } from "./operations.ts";
import { defined } from "../../shared/json/defined.ts";
import type { Services } from "../ports/services.ts";

/** Try this many times: an owner may exit, or return the lease, between the lookup and the request. */
const ATTEMPTS = 6;
/** Milliseconds between two such attempts, longer each time. */
const PAUSE_MS = 50;
const ALWAYS_APPENDS: ReadonlySet<OperationName> = new Set(["submit", "title", "settings"]);

/** The parts of a session that an operation is carried out with. */
export interface OperationPorts extends Pick<DriverPorts, "log" | "services" | "life"> {
  /** Carries the operation out in this process. @throws LeaseHeldError */
  apply<K extends OperationName>(kind: K, input: OperationInput<K>): Promise<OperationValue<K>>;
  /** Takes over what dead processes left, this session's lease among it. */
  readonly sweep: () => Promise<void>;
}

/**
 * Carries out an operation: here, or in the process that drives the session; after taking the session over when that
 * process is dead.
 *
 * @throws HostError what the operation throws, `session_unreachable`, `store_*`
 */
export async function runOperation<K extends OperationName>(
  ports: OperationPorts,
  kind: K,
  input: OperationInput<K>,
): Promise<OperationValue<K>> {
  const { log, services } = ports;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await checkOwner(ports, kind);
      return await ports.apply(kind, input);
    } catch (thrown) {
      if (!(thrown instanceof LeaseHeldError)) {
        // This process has lost the lease, or is just taking it over: usually it is certain that nothing was appended.
        const { code, details } = toHostError(thrown);
        if (attempt >= ATTEMPTS || code !== "lease_lost" || details.uncertain === true) throw thrown;
      } else {
        const answer = await askOrTakeOver(ports, thrown, { session: log.id, kind, input, attempt });
        // The value was made by the same operation in another process.
        if (answer !== undefined) return answer.value as OperationValue<K>;
      }
    }
    // An owner that is just leaving gets the time to.
    if (attempt > 1) await sleep(services.clock, PAUSE_MS * attempt, ports.life);
  }
}

/** Asks a living owner, and gives its answer; takes the session over from a dead one. `undefined`: try again. */
async function askOrTakeOver(
  { services, sweep }: OperationPorts,
  held: LeaseHeldError,
  { attempt, ...request }: OwnerRequest & { readonly attempt: number },
): Promise<OwnerAnswer | undefined> {
  const isLast = attempt >= ATTEMPTS;
  if (held.owner.alive) {
    const answer = await askOwner(services, request);
    if (answer === undefined && isLast) throw held;
    return answer;
  }
  if (isLast)
    throw new HostError("session_unreachable", `Session ${request.session} could not be taken over.`);
  await sweep();
  return undefined;
}

/**
 * Looks who drives the session, and brings the state up to date. A process without the lease decides on a state that
 * may be old: an append would tell, an operation that may append nothing has to look first.
 *
 * @throws LeaseHeldError
 */
async function checkOwner(
  { log, services: { store } }: Pick<OperationPorts, "log" | "services">,
  kind: OperationName,
): Promise<void> {
  if (log.holdsLease || (ALWAYS_APPENDS.has(kind) && log.state.turn === undefined)) return;
  const record = await store.record(log.id);
  if (record === undefined || record.damaged) return await log.refresh();
  const { owner, state } = record;
  if (state.turn !== undefined && owner !== undefined && owner.hostId !== store.hostId)
    throw new LeaseHeldError(owner);
  if (state.n !== log.state.n || state.seq !== log.state.seq) await log.refresh();
}

/** Milliseconds that a living owner may take to answer. */
const ANSWER_MS = 15_000;

/** A request to the process that drives a session. */
interface OwnerRequest {
  readonly session: string;
  readonly kind: string;
  readonly input: unknown;
}

/** The value of an operation that the owner carried out. */
interface OwnerAnswer {
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
    waitMs: ANSWER_MS,
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
