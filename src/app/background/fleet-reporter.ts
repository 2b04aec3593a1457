import { environmentProxies } from "../../shared/net/proxies.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { FLEET_PATH, HeartbeatSender } from "../../deployment/fleet/index.ts";
import { guardedFetcher } from "../../providers/fetch/index.ts";
import type { Agent } from "../compose.ts";
import { fleetConfig } from "../config/fleet.ts";
import { packageVersion } from "../process/version.ts";

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
