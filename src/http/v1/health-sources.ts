/** The figures that only the process knows of itself. */
export interface ProcessStats {
  readonly version: string;
  readonly pid: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Bytes. */
  memory(): { readonly rss: number; readonly heapUsed: number };
  /** Microseconds of processor time since the start. */
  cpu(): { readonly user: number; readonly system: number };
  /** The delay of timers since the last call, in seconds. */
  loopDelay(): { readonly p50: number; readonly p99: number; readonly max: number };
  /** Bytes of the disk that holds the home; `undefined` if the file system does not tell. */
  disk(): Promise<{ readonly free: number; readonly total: number } | undefined>;
}

/** The state of a part of the server that others connect to. */
export interface PlatformState {
  readonly state: "connected" | "draining" | "failed";
  readonly errorCode?: string;
  readonly errorMessage?: string;
  /** Unix milliseconds. */
  readonly updatedAt: number;
}

/** The end of the server's run before this one; `killed` when nothing was said any more. */
export interface LastExit {
  readonly reason: "stopped" | "failed" | "killed";
  /** Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt?: number;
}

/** The part of the health that only the process around the server can tell. */
export interface HealthSources {
  /** Reads the configuration as it is now. Its words reach clients: no values, paths or raw errors. */
  config(): Promise<{ readonly status: "ok" | "degraded"; readonly detail?: string }>;
  /** The parts that run, by name. */
  platforms(): Readonly<Record<string, PlatformState>>;
  readonly lastExit?: LastExit;
  /** Where the agent's commands run. Its words reach clients, too. */
  sandbox?(): Promise<SandboxHealth>;
}

/** The health of the sandbox: what was chosen, and whether its walls hold. */
export interface SandboxHealth {
  readonly status: "ok" | "degraded";
  /** As `terminal.backend` has it. */
  readonly backend: string;
  /** Escapes were tried, and none went through. */
  readonly holds: boolean;
  /** What the walls are made of. */
  readonly engine?: string;
  /** Why there are none, a sentence. */
  readonly detail?: string;
}
