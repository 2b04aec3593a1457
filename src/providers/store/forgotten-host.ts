import type { HostEntry } from "./operations.ts";

/** A host of which only its id is left: it ended, and its row was swept away. */
export const forgottenHost = (id: string): HostEntry => ({
  id,
  machineId: "",
  bootId: "",
  pidNamespace: "",
  pid: 0,
  startedAt: "",
  beat: 0,
  ended: true,
});
