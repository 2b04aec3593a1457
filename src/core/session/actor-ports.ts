import type { Services } from "../ports/services.ts";
import type { SubagentPort } from "../turn/subagent-port.ts";

/** What a host does for its sessions. */
export interface SessionActorPorts {
  readonly services: Services;
  readonly subagents: SubagentPort;
  /** Takes over what dead processes left, this session's lease among it. */
  sweep(): Promise<void>;
  /** No new prompts are taken. */
  draining(): boolean;
  /** Milliseconds that the lease is kept after a turn: the next one then begins without waiting for it. */
  readonly keepLeaseMs: number;
  /** All that is queued is run here; else only as long as somebody here waits for one of the prompts. */
  readonly resident: boolean;
  /** Aborts when the host closes. */
  readonly life: AbortSignal;
}
