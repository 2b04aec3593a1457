import { defined } from "../../shared/json/defined.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { type ApiRoute, route } from "../server/api-route.ts";
import type { HttpContext } from "../server/context.ts";
import type { ApiContext } from "../turns/api-context.ts";

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

/** Declares the routes that tell whether the server is well. */
export function healthRoutes(
  stats: ProcessStats,
  sources: HealthSources = aloneSources(stats),
): readonly ApiRoute<ApiContext>[] {
  const health = { status: "ok", platform: "agent", version: stats.version };
  const plain = {
    method: "GET",
    summary: "Whether the server is there",
    open: true,
    handle: (c: HttpContext) => c.json(health),
  } as const;
  return [
    { ...plain, path: "/health", id: "health", endpoint: "health" },
    { ...plain, path: "/v1/health", id: "healthOfV1" },
    route("GET /health/detailed", async (c, api) => c.json(await detailed(api, stats, sources)), {
      id: "detailedHealth",
      summary: "Health with readiness, load and resources",
      endpoint: "health_detailed",
    }),
  ];
}

/** A server without a process around it, as in a program of somebody's own, has no configuration file. */
const aloneSources = ({ startedAt }: ProcessStats): HealthSources => ({
  config: () => Promise.resolve({ status: "ok", detail: "set by the program" }),
  platforms: () => ({ api_server: { state: "connected", updatedAt: startedAt } }),
});

async function detailed(api: ApiContext, stats: ProcessStats, sources: HealthSources) {
  const { host, admission, streams } = api;
  const platforms = sources.platforms();
  const gateway = admission.draining ? "draining" : "running";
  const states = Object.values(platforms).map(({ state }) => state);
  const checks = {
    state_db: await storeCheck(api),
    config: await sources.config(),
    model: modelCheck(api),
    disk: await diskCheck(stats),
    ...defined({ sandbox: await sources.sandbox?.() }),
    gateway: {
      status: states.includes("failed") ? "degraded" : "ok",
      state: gateway,
      connected_platforms: states.filter((state) => state === "connected").length,
      platforms: Object.fromEntries(Object.entries(platforms).map(([name, { state }]) => [name, state])),
    },
    background_queues: {
      status: "ok",
      active_api_runs: admission.running,
      active_delegations: host.subagents.active().length,
    },
  };
  const ok = Object.values(checks).every(({ status }) => status === "ok");
  const status = ok ? "ok" : "degraded";
  const { rss, heapUsed } = stats.memory();
  const { user, system } = stats.cpu();
  const now = host.services.clock.now();
  return {
    status,
    platform: "agent",
    version: stats.version,
    gateway_state: gateway,
    platforms: Object.fromEntries(
      Object.entries(platforms).map(([name, platform]) => [name, encodePlatform(platform)]),
    ),
    active_agents: host.running,
    active_sessions: host.live().length,
    active_runs: admission.running,
    open_streams: streams.size,
    gateway_busy: admission.running > 0,
    gateway_drainable: !admission.draining,
    exit_reason: sources.lastExit?.reason ?? null,
    ...defined({ last_exit: sources.lastExit && encodeExit(sources.lastExit) }),
    updated_at: time(now),
    pid: stats.pid,
    resources: {
      memory: { rss_bytes: rss, heap_used_bytes: heapUsed },
      cpu: { user_seconds: user / 1e6, system_seconds: system / 1e6 },
      uptime_seconds: Math.floor((now - stats.startedAt) / 1000),
    },
    readiness: { status, checks },
  };
}

const time = (ms: number): string => new Date(ms).toISOString();

const encodePlatform = ({ state, errorCode, errorMessage, updatedAt }: PlatformState) => ({
  state,
  error_code: errorCode ?? null,
  error_message: errorMessage ?? null,
  updated_at: time(updatedAt),
});

const encodeExit = ({ reason, startedAt, endedAt }: LastExit) => ({
  reason,
  started_at: time(startedAt),
  ...defined({ ended_at: endedAt === undefined ? undefined : time(endedAt) }),
});

async function storeCheck({ host }: ApiContext) {
  try {
    await host.list({ limit: 1, offset: 0 });
    return { status: "ok", backend: "sqlite" };
  } catch (thrown) {
    host.services.report(
      thrown instanceof HostError ? thrown : new HostError("store_unavailable", String(thrown)),
    );
    return { status: "degraded", backend: "sqlite" };
  }
}

function modelCheck({ host }: ApiContext): { readonly status: string } {
  try {
    host.services.models().resolve({});
    return { status: "ok" };
  } catch {
    // `agent doctor` tells the reason: a health report names no configuration.
    return { status: "degraded" };
  }
}

const FULL_PERCENT = 90;

async function diskCheck(stats: ProcessStats) {
  const disk = await stats.disk();
  if (disk === undefined || disk.total === 0) return { status: "ok" };
  const used = Math.round((1 - disk.free / disk.total) * 100);
  return { status: used < FULL_PERCENT ? "ok" : "degraded", used_percent: used, free_bytes: disk.free };
}
