import type { StoreInput, StoreOperationName } from "../operations.ts";
import type { OperationRequest } from "./worker-messages.ts";
import { endsWork, isDurableAppend } from "./append.ts";
import type { OperationContext } from "./operation-context.ts";

/** The access of an operation to the database: a write that is synced or not, a read, or none. */
export type AccessMode = "synced" | "written" | "read" | "local";

export function accessModeOf(context: OperationContext, request: OperationRequest): AccessMode {
  if (request.name !== "append") return ACCESS_MODES[request.name];
  return isDurableAppend(context, request.input) ? "synced" : "written";
}

const ACCESS_MODES: Readonly<Record<Exclude<StoreOperationName, "append">, AccessMode>> = {
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
  feed: "read",
  findSession: "read",
  namesBlob: "read",
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
export function beginsWork({ name, input }: OperationRequest): boolean {
  switch (name) {
    case "append":
      return input.fence === undefined && !input.release;
    case "writeRecord":
      return !goesOn(input);
    default:
      return name === "create" || name === "branch";
  }
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
export function mayUseReserve({ name, input }: OperationRequest): boolean {
  if (name === "append") return endsWork(input);
  return name === "writeRecord" ? goesOn(input) : ALWAYS_ROOM.has(name);
}

/** Whether a record is written on, and not begun. */
const goesOn = ({ version = 0 }: StoreInput<"writeRecord">): boolean => version > 0;
