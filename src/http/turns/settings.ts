/** How an API server behaves; durations in milliseconds. */
export interface ApiSettings {
  /** What callers bring as `Authorization: Bearer`. */
  readonly key: string;
  /** The name under which the agent is listed as a model. */
  readonly modelName: string;
  readonly corsOrigins: readonly string[];
  /** Names that `Host` may have beside the loopback ones. */
  readonly hostNames: readonly string[];
  /** Turns at a time; 0 is any number. */
  readonly maxConcurrentRuns: number;
  readonly maxBodyBytes: number;
  /** How long a stateless turn goes on after its last reader left. */
  readonly disconnectGraceMs: number;
  readonly keepAliveMs: number;
  readonly stallMs: number;
  /** Callers get what the model thinks, unless they say otherwise. */
  readonly reasoning: boolean;
  /** Absolute path of the workspace of sessions that are made here. */
  readonly workspace: string;
}

/** What holds where the owner says nothing; sizes in bytes, times in milliseconds. */
export const API_DEFAULTS = {
  modelName: "agent",
  maxConcurrentRuns: 100,
  maxBodyBytes: 10_000_000,
  disconnectGraceMs: 30_000,
  keepAliveMs: 30_000,
  stallMs: 120_000,
  reasoning: false,
} as const;
