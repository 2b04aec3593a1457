import { openReverseProxy } from "../../deployment/reverse-proxy/index.ts";
import { redactorOf } from "../../shared/text/redact.ts";
import { secretValues } from "../../app/config/secrets.ts";
import { type LogFlags, logChoice } from "../log-options.ts";
import { defined } from "../../shared/json/defined.ts";
import { frontConfig } from "../../app/config/front.ts";
import { makeHome } from "../../app/config/home.ts";
import { loadSettings } from "../../app/config/settings.ts";
import { certificate } from "./certificate.ts";
import type { Io } from "../../app/process/io.ts";
import { machineNames } from "../../app/process/machine-names.ts";
import { openLog } from "../../app/process/log.ts";
import { stopSignal } from "../../app/process/signals.ts";

interface FrontFlags extends LogFlags {
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
  const { paths, env, config: file } = settings;
  const redactor = redactorOf(() => secretValues(env, file));
  const log = openLog(io, { folder: paths.logs, redactor, choice: logChoice(flags) });
  await using server = await openReverseProxy({
    ...config.address,
    upstreams: config.upstreams,
    gateway: config.gateway,
    log: log.write,
    ...defined({ tls }),
  });
  // Who reads that it listens may stop it at once.
  const stopped = stopSignal(io);
  log.announce(`front address on ${server.url}`);
  await stopped;
}
