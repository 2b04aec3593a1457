import { openReverseProxy } from "../../deployment/reverse-proxy/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { frontConfig } from "../../app/config/front.ts";
import { makeHome } from "../../app/config/home.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { certificate } from "./certificate.ts";
import { type Io, write } from "../../app/process/io.ts";
import { machineNames } from "../../app/process/machine-names.ts";
import { serverLog } from "../../app/process/server-log.ts";
import { stopSignal } from "../../app/process/signals.ts";

interface FrontFlags {
  readonly host?: string;
  readonly port?: number;
  /** Plain http, for a hosted deployment. */
  readonly plain?: boolean;
}

/** `agent front`: the address under which a deployment is known. Serves until it is told to stop. */
export async function front(io: Io, flags: FrontFlags): Promise<void> {
  const settings = await loadSettings(io.env, io.cwd);
  makeHome(settings.paths);
  const config = frontConfig(settings, flags);
  const tls = config.tls ? await certificate(settings.paths.home, machineNames()) : undefined;
  // Bodies are not logged, and the front knows no secrets.
  const log = serverLog(io, (text) => text);
  await using server = await openReverseProxy({
    ...config.address,
    upstreams: config.upstreams,
    log,
    ...defined({ tls }),
  });
  await write(io.stderr, `agent: front address on ${server.url}\n`);
  await stopSignal(io);
}
