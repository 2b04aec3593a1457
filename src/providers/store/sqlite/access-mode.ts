import type { StoreOperationName, StoreOperations } from "../operations.ts";
import type { OperationRequest } from "./worker-messages.ts";
import { endsWork, isDurableAppend } from "./append.ts";
import type { OperationContext } from "./operation-context.ts";

/** How an operation meets the database: writing, and then synced or not; reading; or not at all. */
export type AccessMode = "synced" | "written" | "read" | "local";

export function accessModeOf(context: OperationContext, ask: OperationRequest): AccessMode {
  const order = appendOrder(ask);
  if (order !== undefined) return isDurableAppend(context, order) ? "synced" : "written";
  return ACCESS_MODES[ask.name];
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
export function beginsWork(ask: OperationRequest): boolean {
  const order = appendOrder(ask);
  if (order !== undefined) return order.fence === undefined && !order.release;
  return ask.name === "create" || ask.name === "branch" || (ask.name === "writeRecord" && !goesOn(ask));
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
export function mayUseReserve(ask: OperationRequest): boolean {
  const order = appendOrder(ask);
  if (order !== undefined) return endsWork(order);
  return ALWAYS_ROOM.has(ask.name) || (ask.name === "writeRecord" && goesOn(ask));
}

/** Whether a record is written on, and not begun. */
function goesOn({ request }: OperationRequest): boolean {
  // `Backend.call` lets a record be written with nothing else than its own request.
  return (request as Parameters<StoreOperations["writeRecord"]>[0]).condition.if === "version";
}

function appendOrder({
  name,
  request,
}: OperationRequest): Parameters<StoreOperations["append"]>[0] | undefined {
  // `Backend.call` lets an append be asked for with nothing else than its order.
  return name === "append" ? (request as Parameters<StoreOperations["append"]>[0]) : undefined;
}
