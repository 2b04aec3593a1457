import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import { type ConfigSource, PORT } from "./block.ts";
import { deploymentBlock } from "./dashboard.ts";
import { readBlock } from "./read-block.ts";

/** The block `front` of config.yaml. */
export const frontBlock = later(() =>
  z.looseObject({
    host: z.string().min(1).default("0.0.0.0").describe("Address where it listens."),
    port: PORT.optional().describe("Port where it listens: 443 with TLS, 8443 without."),
    tls: z.boolean().default(true).describe("Serve https."),
    api_port: PORT.default(8642).describe("Port of the API server on this machine."),
    gateway: z
      .boolean()
      .default(false)
      .describe("Pass the gateway's WebSocket on, /api/ws; it asks for its own token."),
    dashboard: z
      .boolean()
      .optional()
      .describe("Pass all other pages on to the dashboard; by default on a Box and a hosted deployment."),
    dashboard_port: PORT.default(8641).describe("Port of the dashboard on this machine."),
    webhook_port: PORT.default(8644).describe("Port of the webhook connector on this machine."),
  }),
);

const TLS_PORT = 443;
const PLAIN_PORT = 8443;

/**
 * Reads the block `front` of config.yaml; flags win. With TLS it is a Box's address (443), without it that of a hosted
 * deployment (8443).
 *
 * @throws HostError `config_invalid`, naming the key
 */
export function frontConfig(
  source: ConfigSource,
  flags: { readonly host?: string; readonly port?: number; readonly plain?: boolean },
) {
  const block = readBlock(source, "front", frontBlock());
  const { form = "own" } = readBlock(source, "deployment", deploymentBlock());
  const tls = flags.plain === undefined ? block.tls : !flags.plain;
  return {
    address: {
      host: flags.host ?? block.host,
      port: flags.port ?? block.port ?? (tls ? TLS_PORT : PLAIN_PORT),
    },
    tls,
    gateway: block.gateway,
    upstreams: {
      api_server: block.api_port,
      webhook: block.webhook_port,
      ...((block.dashboard ?? form !== "own") ? { dashboard: block.dashboard_port } : {}),
    },
  };
}
