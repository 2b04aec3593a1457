import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import type { ConfigSource } from "./block.ts";
import { readBlock } from "./read-block.ts";

/** The block `fleet` of config.yaml. */
export const fleetBlock = later(() =>
  z.looseObject({
    panel_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe("Address of the fleet's panel."),
    instance: z.string().min(1).optional().describe("Name under which this machine is registered there."),
  }),
);

/**
 * Reads where this instance reports: `fleet.panel_url` and `fleet.instance` of config.yaml, and `FLEET_TOKEN`.
 *
 * @returns `undefined` when it belongs to no fleet
 * @throws HostError `config_invalid` when one of the three is missing or wrong
 */
export function fleetConfig(source: ConfigSource) {
  const { env, paths } = source;
  const { panel_url: url, instance } = readBlock(source, "fleet", fleetBlock());
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
