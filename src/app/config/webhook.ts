import { decodeWebhookSettings, type WebhookSettings } from "../../automation/webhook/index.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { type ConfigSource, isSwitchedOn, platformBlock } from "./block.ts";

/** The webhook connector is switched on, by `WEBHOOK_ENABLED` or `platforms.webhook.enabled`. */
export const isWebhookEnabled = (source: ConfigSource): boolean =>
  isSwitchedOn(source, "WEBHOOK_ENABLED", platformBlock(source, "webhook")["enabled"] === true);

/** The address of the connector, also while it is off or its routes cannot be served. @throws HostError `config_invalid` */
export function webhookAddress(settings: ConfigSource): Pick<WebhookSettings, "host" | "port"> {
  const extra = platformBlock(settings, "webhook")["extra"];
  const address = isJsonObject(extra) ? { ...extra, routes: {} } : {};
  return decodeWebhookSettings(address, { port: settings.env["WEBHOOK_PORT"] });
}

/** @throws HostError `config_invalid` for whatever the connector must not start with */
export function webhookSettings(settings: ConfigSource): WebhookSettings {
  const { env } = settings;
  return decodeWebhookSettings(platformBlock(settings, "webhook")["extra"], {
    port: env["WEBHOOK_PORT"],
    secret: env["WEBHOOK_SECRET"],
  });
}
