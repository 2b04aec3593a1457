import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import type { AppSettings } from "./settings.ts";

/** The front address as it is configured. */
interface FrontConfig {
  readonly address: { readonly host: string; readonly port: number };
  readonly tls: boolean;
  readonly upstreams: { readonly api_server: number; readonly webhook: number };
}

const port = z.int().min(0).max(65_535);

const Wire = z.looseObject({
  host: z.string().min(1).default("0.0.0.0"),
  port: port.optional(),
  tls: z.boolean().default(true),
  api_port: port.default(8642),
  webhook_port: port.default(8644),
});

const TLS_PORT = 443;
const PLAIN_PORT = 8443;

/**
 * Reads the block `front` of config.yaml; flags win. With TLS it is a Box's address (443), without it that of a hosted
 * deployment (8443).
 *
 * @throws HostError `config_invalid`, naming the key
 */
export function frontConfig(
  { config, paths }: AppSettings,
  flags: { readonly host?: string; readonly port?: number; readonly plain?: boolean },
): FrontConfig {
  const result = Wire.safeParse(config["front"] ?? {});
  if (!result.success) {
    const [issue] = result.error.issues;
    const key = ["front", ...(issue?.path ?? [])].join(".");
    throw new HostError(
      "config_invalid",
      `${key} in ${paths.config} is not valid: ${issue?.message ?? ""}.`,
      {
        details: { subject: key },
      },
    );
  }
  const wire = result.data;
  const tls = flags.plain === undefined ? wire.tls : !flags.plain;
  return {
    address: {
      host: flags.host ?? wire.host,
      port: flags.port ?? wire.port ?? (tls ? TLS_PORT : PLAIN_PORT),
    },
    tls,
    upstreams: { api_server: wire.api_port, webhook: wire.webhook_port },
  };
}
