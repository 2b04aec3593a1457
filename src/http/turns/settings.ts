/**
 * The form of the calls of tools in responses: items that ask the client to run something (`function_call`), items that
 * are only shown (`mcp_call`), or what suits the client (`auto`).
 */
export type ToolItemsSetting = "auto" | "function_call" | "mcp_call";

/** The settings of an API server; durations in milliseconds. */
export interface ApiSettings {
  /** The key that callers send as `Authorization: Bearer`. */
  readonly key: string;
  /** The name under which the agent is listed as a model. */
  readonly modelName: string;
  readonly corsOrigins: readonly string[];
  /** Names that `Host` may have beside the loopback ones. */
  readonly hostNames: readonly string[];
  /** Turns at a time; 0 is any number. */
  readonly maxConcurrentRuns: number;
  /** Turns that wait while there are as many; more are refused. */
  readonly maxQueuedRuns: number;
  readonly maxBodyBytes: number;
  /** The time that a stateless turn goes on after its last reader left. */
  readonly disconnectGraceMs: number;
  readonly keepAliveMs: number;
  readonly stallMs: number;
  /** Callers get the model's reasoning, unless they ask not to. */
  readonly reasoning: boolean;
  readonly toolItems: ToolItemsSetting;
  /** Absolute path of the workspace of sessions that are made here. */
  readonly workspace: string;
}

/** The default settings; sizes in bytes, times in milliseconds. */
export const API_DEFAULTS = {
  modelName: "agent",
  maxConcurrentRuns: 100,
  maxQueuedRuns: 0,
  maxBodyBytes: 10_000_000,
  disconnectGraceMs: 30_000,
  keepAliveMs: 30_000,
  stallMs: 120_000,
  reasoning: false,
  toolItems: "auto",
} as const;
