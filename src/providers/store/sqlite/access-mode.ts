import type { StoreOperationName, StoreOperations } from "../operations.ts";
import type { OperationRequest } from "./worker-messages.ts";
import { endsWork, isDurableAppend } from "./append.ts";
import type { OperationContext } from "./operation-context.ts";

/** The access of an operation to the database: a write that is synced or not, a read, or none. */
export type AccessMode = "synced" | "written" | "read" | "local";

export function accessModeOf(context: OperationContext, request: OperationRequest): AccessMode {
  const order = appendOrder(request);
  if (order !== undefined) return isDurableAppend(context, order) ? "synced" : "written";
  return ACCESS_MODES[request.name];
}

const ACCESS_MODES: Readonly<Record<StoreOperationName, AccessMode>> = {
  append: "synced",
  create: "synced",
  branch: "synced",
  remove: "synced",
  takeOver: "synced",
  saveRebuiltState: "written",
  purge: "written",
  send: "written",
  answer: "written",
  withdraw: "written",
  beat: "written",
  forgetHost: "written",
  recordChild: "written",
  forgetChild: "written",
  writeRecord: "synced",
  removeRecord: "synced",
  claimRecords: "synced",
  renewRecord: "written",
  trimRecords: "written",
  expireRecords: "written",
  claimBlob: "written",
  sweep: "written",
  read: "read",
  readBefore: "read",
  findSession: "read",
  list: "read",
  rebuildState: "read",
  answerer: "read",
  hosts: "read",
  readRecord: "read",
  listRecords: "read",
  holder: "read",
  watch: "local",
  unwatch: "local",
  listen: "local",
  stats: "local",
};

/** Whether an operation begins something, for whose end there must be room on the disk. */
export function beginsWork(request: OperationRequest): boolean {
  const order = appendOrder(request);
  if (order !== undefined) return order.fence === undefined && !order.release;
  return (
    request.name === "create" ||
    request.name === "branch" ||
    (request.name === "writeRecord" && !goesOn(request))
  );
}

const ALWAYS_ROOM = new Set<StoreOperationName>([
  "remove",
  "purge",
  "takeOver",
  "forgetHost",
  "answer",
  "withdraw",
  "removeRecord",
  "trimRecords",
  "expireRecords",
]);

/** Whether an operation ends something or makes room, and may use the reserve for that. */
export function mayUseReserve(request: OperationRequest): boolean {
  const order = appendOrder(request);
  if (order !== undefined) return endsWork(order);
  return ALWAYS_ROOM.has(request.name) || (request.name === "writeRecord" && goesOn(request));
}

/** Whether a record is written on, and not begun. */
function goesOn({ input }: OperationRequest): boolean {
  // `StoreBackend.call` gives `writeRecord` its own input.
  return (input as Parameters<StoreOperations["writeRecord"]>[0]).condition.if === "version";
}

function appendOrder({
  name,
  input,
}: OperationRequest): Parameters<StoreOperations["append"]>[0] | undefined {
  // `StoreBackend.call` gives `append` its own input.
  return name === "append" ? (input as Parameters<StoreOperations["append"]>[0]) : undefined;
}
