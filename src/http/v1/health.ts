import { defined } from "../../shared/json/defined.ts";
import { type ApiRoute, route } from "../server/api-route.ts";
import type { HttpContext } from "../server/context.ts";
import type { ApiContext } from "../turns/api-context.ts";
import { healthChecks } from "./health-checks.ts";
import type { HealthSources, LastExit, PlatformState, ProcessStats } from "./health-sources.ts";

/** Declares the routes that tell whether the server is well. */
export function healthRoutes(
  stats: ProcessStats,
  sources: HealthSources = aloneSources(stats),
): readonly ApiRoute<ApiContext>[] {
  const health = { status: "ok", platform: "agent", version: stats.version };
  const plain = { method: "GET", open: true } as const;
  return [
    {
      ...plain,
      path: "/health",
      id: "health",
      endpoint: "health",
      summary: "Whether the server is there, also while it drains",
      handle: (c: HttpContext) => c.json(health),
    },
    {
      ...plain,
      path: "/v1/health",
      id: "healthOfV1",
      summary:
        "Whether the server takes work: 503 while it drains, or is cut off from the database that hosts share",
      handle: (c: HttpContext, { admission, host }) => {
        if (admission.draining) return c.json({ ...health, status: "draining" }, 503);
        // No question to the database: who is cut off from it would wait for the answer, and the balancer with it.
        if (host.services.store.isLost === true) return c.json({ ...health, status: "unavailable" }, 503);
        return c.json(health);
      },
    },
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
    ...(await healthChecks({ host, stats, sources })),
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
