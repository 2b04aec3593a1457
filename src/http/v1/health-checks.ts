import type { Host } from "../../core/index.ts";
import { within } from "../../shared/async/deadline.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { defined } from "../../shared/json/defined.ts";
import type { HealthSources, ProcessStats, SandboxHealth } from "./health-sources.ts";

/** The state of one thing that a server needs. */
interface HealthCheck {
  readonly status: "ok" | "degraded";
}

/** The health of the disk that holds the home, as far as its file system tells. */
interface DiskHealth extends HealthCheck {
  readonly used_percent?: number;
  readonly free_bytes?: number;
}

/** The things that a server needs, each with its state; in the words of `GET /health/detailed`. */
export interface HealthChecks {
  readonly state_db: HealthCheck & { readonly backend: string };
  readonly config: Awaited<ReturnType<HealthSources["config"]>>;
  readonly model: HealthCheck;
  readonly disk: DiskHealth;
  readonly sandbox?: SandboxHealth;
}

/** Looks at what a server needs. */
export async function healthChecks({
  host,
  stats,
  sources,
}: {
  readonly host: Pick<Host, "list" | "services">;
  readonly stats: Pick<ProcessStats, "disk">;
  readonly sources: Pick<HealthSources, "config" | "sandbox">;
}): Promise<HealthChecks> {
  return {
    state_db: await storeCheck(host),
    config: await sources.config(),
    model: modelCheck(host),
    disk: await diskCheck(stats),
    ...defined({ sandbox: await sources.sandbox?.() }),
  };
}

/** A store that takes longer, in milliseconds, is in trouble: who asks waits for an answer. */
const STORE_MS = 3_000;

async function storeCheck(host: Pick<Host, "list" | "services">): Promise<HealthChecks["state_db"]> {
  const { store, clock } = host.services;
  const backend = store.isShared === true ? "postgresql" : "sqlite";
  try {
    await within({ clock, ms: STORE_MS }, () =>
      store.isShared === true ? writeSign(host.services) : host.list({ limit: 1, offset: 0 }),
    );
    return { status: "ok", backend };
  } catch (thrown) {
    host.services.report(
      thrown instanceof HostError ? thrown : new HostError("store_unavailable", String(thrown)),
    );
    return { status: "degraded", backend };
  }
}

/** A database that is reached over a network may be read and not written: its disk is full, or it has become a replica. */
const writeSign = ({ store, clock }: Pick<Host["services"], "store" | "clock">): Promise<unknown> =>
  store.records.put({ space: "health", key: store.hostId, value: "", expiresAt: clock.now() + 60_000 });

function modelCheck(host: Pick<Host, "services">): HealthCheck {
  try {
    host.services.models().resolve({});
    return { status: "ok" };
  } catch {
    // `agent doctor` tells the reason: a health report names no configuration.
    return { status: "degraded" };
  }
}

const FULL_PERCENT = 90;

async function diskCheck(stats: Pick<ProcessStats, "disk">): Promise<DiskHealth> {
  const disk = await stats.disk();
  if (disk === undefined || disk.total === 0) return { status: "ok" };
  const used = Math.round((1 - disk.free / disk.total) * 100);
  return { status: used < FULL_PERCENT ? "ok" : "degraded", used_percent: used, free_bytes: disk.free };
}
