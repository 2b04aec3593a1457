import { Hono } from "hono";
import { openAgent } from "../../app/compose.ts";
import { CONNECTORS } from "../../app/background/connectors.ts";
import { GatewayHealth } from "../../app/background/gateway-health.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { type Io, write } from "../../app/process/io.ts";
import { diskOf } from "../../app/process/process-stats.ts";
import { stopSignal } from "../../app/process/signals.ts";
import { packageVersion } from "../../app/process/version.ts";
import type { HttpEnv } from "../../http/server/context.ts";
import { healthChecks, listen } from "../../http/index.ts";

/**
 * `agent gateway try`: opens settings and store as the gateway does, and serves only its health, on this machine. Nothing is
 * connected, runs or is sent: the home may be a copy of one that is in use.
 */
export async function tryGateway(own: Io): Promise<void> {
  const io = onOwnStore(own);
  const settings = await loadSettings(io.env, io.cwd, io.set);
  const kinds = CONNECTORS.filter((kind) => kind.isEnabled(settings));
  for (const kind of kinds) kind.check(settings);
  await using agent = await openAgent(io, { resident: false });
  const { host, sandboxes } = agent;
  const health = new GatewayHealth({ io, kinds, sandboxes, lastExit: undefined });
  const version = packageVersion();
  const app = new Hono<HttpEnv>();
  app.get("/health", async (c) => {
    const stats = { disk: () => diskOf(settings.paths.home) };
    const { state_db: store, config } = await healthChecks({
      host,
      stats,
      sources: { config: () => health.config() },
    });
    const isWell = store.status === "ok" && config.status === "ok";
    return c.json({ status: isWell ? "ok" : "degraded", version, checks: { state_db: store, config } });
  });
  const server = await listen(app, { host: "127.0.0.1", port: 0 });
  const stopped = stopSignal(io);
  await write(io.stdout, `${JSON.stringify({ version, url: server.url })}\n`);
  await stopped;
  await server.close(0);
}

/** A version that is tried must not change the database that machines share: it gets the store of the folder alone. */
const onOwnStore = (io: Io): Io => ({
  ...io,
  env: { ...io.env, AGENT_STORE_URL: "", AGENT_CLUSTER_SECRET: "" },
  set: [...(io.set ?? []), "store.url=null", "cluster=null"],
});
