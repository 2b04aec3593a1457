import { HostError } from "../../shared/errors/host-error.ts";
import { decodeWebhookSettings, type WebhookSettings } from "../../automation/webhook/index.ts";
import { platformBlock } from "./platforms.ts";
import type { AppSettings } from "./settings.ts";

/** The webhook connector is switched on, by `WEBHOOK_ENABLED` or `platforms.webhook.enabled`. */
export function isWebhookEnabled(settings: AppSettings): boolean {
  const variable = settings.env["WEBHOOK_ENABLED"]?.trim().toLowerCase() ?? "";
  if (variable === "") return platformBlock(settings, "webhook")["enabled"] === true;
  if (["1", "true", "yes", "on"].includes(variable)) return true;
  if (["0", "false", "no", "off"].includes(variable)) return false;
  throw new HostError(
    "config_invalid",
    `WEBHOOK_ENABLED is ${JSON.stringify(variable)}: write true or false.`,
    {
      details: { subject: "WEBHOOK_ENABLED" },
    },
  );
}

/** @throws HostError `config_invalid` for whatever the connector must not start with */
export function webhookSettings(settings: AppSettings): WebhookSettings {
  const { env } = settings;
  return decodeWebhookSettings(platformBlock(settings, "webhook")["extra"], {
    port: env["WEBHOOK_PORT"],
    secret: env["WEBHOOK_SECRET"],
  });
}
