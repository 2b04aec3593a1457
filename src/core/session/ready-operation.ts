import { HostError } from "../../shared/errors/host-error.ts";
import type { Decision, LogView } from "../log/append-plan.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { Services } from "../ports/services.ts";
import type { TurnEntry, WaitingLine } from "../turn/turn-room.ts";
import type { OperationInput, OperationName, OperationValue } from "./operations.ts";
import { belongsElsewhere, otherHome } from "./home-machine.ts";
import { readyRewind, type RewindInput } from "./rewind-operation.ts";

/** An operation that this process carries out. */
interface GivenOperation<K extends OperationName> {
  readonly kind: K;
  readonly input: OperationInput<K>;
  /** Another process asked for it. */
  readonly commandId: string | undefined;
}

const BEGINS: ReadonlySet<OperationName> = new Set(["submit", "confirm"]);
const ELSEWHERE: TurnEntry = { waits: true, leave: () => undefined };

/** The parts of a session that an operation is appended with. */
interface OperationParts {
  readonly writer: LogWriter;
  readonly services: Services;
  readonly line: WaitingLine;
}

/** What an operation decides, and what follows once it is committed. */
interface OperationSteps<K extends OperationName> {
  readonly decide: (
    view: LogView,
    input: OperationInput<K>,
    mustWait: () => boolean,
  ) => Decision<OperationValue<K>>;
  readonly appended: () => void;
}

/** Decides nothing but that this process drives the session. */
const takeLease = (): Decision<undefined> => ({ events: [], value: undefined, lease: "take" });

/** Before an operation that may begin a turn, in turn with all else that is appended: another process may have changed a persona. */
function freshPersonas(
  kind: OperationName,
  { writer, services: { personas } }: { readonly writer: LogWriter; readonly services: Services },
): (() => Promise<void>) | undefined {
  const { log } = writer;
  const begins = kind === "submit" || kind === "confirm" || (kind === "interrupt" && !log.holdsLease);
  if (!begins || personas?.refresh === undefined) return undefined;
  return () => personas.refresh?.({ id: log.id, state: log.state }) ?? Promise.resolve();
}

/**
 * Appends what an operation decides. A turn that it may begin needs room here; where there is none, its session waits in the
 * line. A rewind puts files back just before, while nobody else begins a turn.
 */
export function appendOperation<K extends OperationName>(
  parts: OperationParts,
  given: GivenOperation<K>,
  steps: OperationSteps<K>,
): Promise<OperationValue<K>> {
  const appending = appendWithRoom(parts, given, steps);
  return BEGINS.has(given.kind) ? parts.line.room.beginning(appending) : appending;
}

async function appendWithRoom<K extends OperationName>(
  parts: OperationParts,
  given: GivenOperation<K>,
  { decide, appended }: OperationSteps<K>,
): Promise<OperationValue<K>> {
  const { line, writer, services } = parts;
  const { log } = writer;
  const isElsewhere = BEGINS.has(given.kind) && (await belongsElsewhere(writer, services.machines));
  let entry: TurnEntry | undefined;
  const home = otherHome(log.state, services.machines)?.id;
  const mustWait = (): boolean => {
    if (otherHome(log.state, services.machines)?.id !== home)
      throw new HostError("lease_lost", `Session ${log.id} belongs to another machine now.`);
    entry ??= isElsewhere ? ELSEWHERE : line.room.admit(log.id, log.state.depth);
    return entry.waits;
  };
  try {
    const value = await append(parts, given, (view, input) => decide(view, input, mustWait));
    appended();
    if (entry?.waits === true) await line.add(log);
    return value;
  } finally {
    entry?.leave();
  }
}

async function append<K extends OperationName>(
  parts: OperationParts,
  { kind, input, commandId }: GivenOperation<K>,
  decide: (view: LogView, input: OperationInput<K>) => Decision<OperationValue<K>>,
): Promise<OperationValue<K>> {
  const { writer } = parts;
  if (kind !== "rewind")
    return await writer.transact((view) => decide(view, input), commandId, freshPersonas(kind, parts));
  const ready = readyRewind(input as RewindInput, parts);
  if (ready.prepare !== undefined) await writer.transact(takeLease);
  return await writer.transact((view) => decide(view, ready.input), commandId, ready.prepare);
}
