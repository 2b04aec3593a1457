import { sleep } from "../../shared/async/clock.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { LeaseHeldError } from "../log/errors.ts";
import type { DriverPorts } from "../turn/driver.ts";
import { askOwner, type OwnerAnswer, type OwnerRequest } from "./ask-owner.ts";
import type { OperationInput, OperationName, OperationValue } from "./operations.ts";

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
      if (!(thrown instanceof LeaseHeldError)) throw thrown;
      const answer = await askOrTakeOver(ports, thrown, { session: log.id, kind, input, attempt });
      // The value was made by the same operation in another process.
      if (answer !== undefined) return answer.value as OperationValue<K>;
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
