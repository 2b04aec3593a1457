import { z } from "zod";
import { environmentProxies } from "../../shared/net/proxies.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { FLEET_PATH, HeartbeatSender } from "../../deployment/fleet/index.ts";
import { guardedFetcher } from "../../providers/fetch/index.ts";
import type { Agent } from "../compose.ts";
import type { AppSettings } from "../config/settings.ts";
import { packageVersion } from "../process/version.ts";

const Wire = z.looseObject({
  panel_url: z.url({ protocol: /^https?$/ }).optional(),
  instance: z.string().min(1).optional(),
});

interface FleetConfig {
  readonly url: string;
  readonly instance: string;
  readonly token: string;
}

/**
 * Where this instance reports, when it does: `fleet.panel_url` and `fleet.instance` of config.yaml, and `FLEET_TOKEN`.
 *
 * @throws HostError `config_invalid` when one of the three is missing or wrong
 */
function fleetConfig({ config, env, paths }: AppSettings): FleetConfig | undefined {
  const result = Wire.safeParse(config["fleet"] ?? {});
  if (!result.success) {
    const [issue] = result.error.issues;
    throw invalid(
      `fleet.${issue?.path.join(".") ?? ""} in ${paths.config} is not valid: ${issue?.message ?? ""}`,
    );
  }
  const { panel_url: url, instance } = result.data;
  if (url === undefined) return undefined;
  const token = env["FLEET_TOKEN"]?.trim() ?? "";
  if (instance === undefined)
    throw invalid(
      `fleet.instance is missing in ${paths.config}: write the name under which \`agent fleet add\` registered this machine`,
    );
  if (token === "")
    throw invalid("FLEET_TOKEN is not set: put the token that `agent fleet add` printed into the .env file");
  return { url: url.replace(/\/+$/, ""), instance, token };
}

const invalid = (message: string): HostError => new HostError("config_invalid", `${message}.`);

const HEARTBEAT_MS = 15_000;

/** Reports this gateway to the panel of its fleet; nothing when it belongs to none. @throws HostError `config_invalid` */
export function fleetReporter({ settings, host }: Agent): HeartbeatSender | undefined {
  const fleet = fleetConfig(settings);
  if (fleet === undefined) return undefined;
  const { clock, report } = host.services;
  const { url, instance, token } = fleet;
  // The owner named this host himself.
  const allow = [new URL(url).host, new URL(url).hostname];
  const fetcher = guardedFetcher({ clock, allow, proxies: environmentProxies(settings.env) });
  return new HeartbeatSender({
    clock,
    report,
    async send(signal) {
      const { status } = await fetcher.fetch({
        url: `${url}${FLEET_PATH}/heartbeat`,
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ instance, version: packageVersion() }),
        signal,
        maxBytes: 10_000,
        timeoutMs: HEARTBEAT_MS,
      });
      if (status !== 200)
        throw new HostError("fetch_failed", `The fleet's panel answered the heartbeat with ${status}.`);
    },
  });
}
