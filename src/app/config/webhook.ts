import { decodeWebhookSettings, type WebhookSettings } from "../../automation/webhook/index.ts";
import { type ConfigSource, isSwitchedOn, platformBlock } from "./block.ts";

/** The webhook connector is switched on, by `WEBHOOK_ENABLED` or `platforms.webhook.enabled`. */
export const isWebhookEnabled = (source: ConfigSource): boolean =>
  isSwitchedOn(source, "WEBHOOK_ENABLED", platformBlock(source, "webhook")["enabled"] === true);

/** @throws HostError `config_invalid` for whatever the connector must not start with */
export function webhookSettings(settings: ConfigSource): WebhookSettings {
  const { env } = settings;
  return decodeWebhookSettings(platformBlock(settings, "webhook")["extra"], {
    port: env["WEBHOOK_PORT"],
    secret: env["WEBHOOK_SECRET"],
  });
}
