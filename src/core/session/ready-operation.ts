import type { Decision, LogView } from "../log/append-plan.ts";
import type { LogWriter } from "../log/log-writer.ts";
import type { Services } from "../ports/services.ts";
import type { OperationInput, OperationName, OperationValue } from "./operations.ts";
import { readyRewind, type RewindInput } from "./rewind-operation.ts";

/** An operation that this process carries out. */
interface GivenOperation<K extends OperationName> {
  readonly kind: K;
  readonly input: OperationInput<K>;
  /** Another process asked for it. */
  readonly commandId: string | undefined;
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

/** Appends what an operation decides. A rewind puts files back just before, while nobody else begins a turn. */
export async function appendOperation<K extends OperationName>(
  parts: { readonly writer: LogWriter; readonly services: Services },
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
