import { HostError } from "../../shared/errors/host-error.ts";
import type { HttpApp } from "../server/context.ts";
import type { ApiContext } from "../turns/api-context.ts";

/** What only the process knows of itself. */
export interface ProcessStats {
  readonly version: string;
  readonly pid: number;
  /** Unix milliseconds. */
  readonly startedAt: number;
  /** Bytes. */
  memory(): { readonly rss: number; readonly heapUsed: number };
  /** Microseconds of processor time since the start. */
  cpu(): { readonly user: number; readonly system: number };
  /** How late timers were since the last time, in seconds. */
  loopDelay(): { readonly p50: number; readonly p99: number; readonly max: number };
  /** Of the disk that holds the home, bytes; `undefined` when it cannot be told. */
  disk(): Promise<{ readonly free: number; readonly total: number } | undefined>;
}

/** Paths that need no key. */
export const OPEN_PATHS: ReadonlySet<string> = new Set(["/health", "/v1/health"]);

export function healthRoutes(app: HttpApp, api: ApiContext, vitals: ProcessStats): void {
  const health = { status: "ok", platform: "agent", version: vitals.version };
  app.get("/health", (c) => c.json(health));
  app.get("/v1/health", (c) => c.json(health));
  app.get("/health/detailed", async (c) => c.json(await detailed(api, vitals)));
}

async function detailed(api: ApiContext, vitals: ProcessStats) {
  const { host, admission, streams } = api;
  const checks = {
    state_db: await storeCheck(api),
    config: { status: "ok" },
    model: modelCheck(api),
    disk: await diskCheck(vitals),
    background_queues: {
      status: "ok",
      active_api_runs: admission.running,
      active_delegations: host.subagents.active().length,
    },
  };
  const ok = Object.values(checks).every(({ status }) => status === "ok");
  const status = ok ? "ok" : "degraded";
  const { rss, heapUsed } = vitals.memory();
  const { user, system } = vitals.cpu();
  const now = host.services.clock.now();
  return {
    status,
    platform: "agent",
    version: vitals.version,
    gateway_state: admission.draining ? "draining" : "running",
    platforms: {
      api_server: {
        state: "connected",
        error_code: null,
        error_message: null,
        updated_at: new Date(vitals.startedAt).toISOString(),
      },
    },
    active_agents: host.running,
    active_sessions: host.live().length,
    active_runs: admission.running,
    open_streams: streams.size,
    gateway_busy: admission.running > 0,
    gateway_drainable: !admission.draining,
    exit_reason: null,
    updated_at: new Date(now).toISOString(),
    pid: vitals.pid,
    resources: {
      memory: { rss_bytes: rss, heap_used_bytes: heapUsed },
      cpu: { user_seconds: user / 1e6, system_seconds: system / 1e6 },
      uptime_seconds: Math.floor((now - vitals.startedAt) / 1000),
    },
    readiness: { status, checks },
  };
}

async function storeCheck({
  host,
}: ApiContext): Promise<{ readonly status: string; readonly backend: string }> {
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
    // Why not is in `agent doctor`: a health report names no configuration.
    return { status: "degraded" };
  }
}

const FULL_PERCENT = 90;

async function diskCheck(vitals: ProcessStats) {
  const disk = await vitals.disk();
  if (disk === undefined || disk.total === 0) return { status: "ok" };
  const used = Math.round((1 - disk.free / disk.total) * 100);
  return { status: used < FULL_PERCENT ? "ok" : "degraded", used_percent: used, free_bytes: disk.free };
}
