import type { DeadHost } from "../../core/index.ts";
import type { HostHoldings } from "./operations.ts";
import type { ProcessIdentity } from "./process-identity.ts";

/** Gives what a host left, as a host on this machine takes it over. */
export function deadHost({ host, children, sessions }: HostHoldings, own: ProcessIdentity): DeadHost {
  // What was not synced may be gone with the machine's power, or with the database's.
  const newBoot = host.isBehind === true || host.bootId !== own.bootId;
  return { hostId: host.id, children, sessions, newBoot };
}
