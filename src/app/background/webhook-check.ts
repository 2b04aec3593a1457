import { HostError, toHostError } from "../../shared/errors/host-error.ts";
import { nearestName } from "../../shared/text/nearest-name.ts";
import { EXTRA_KEYS, readTargets } from "../../automation/delivery/index.ts";
import {
  checkRoute,
  decodeRoute,
  type WebhookRoute,
  type WebhookSettings,
} from "../../automation/webhook/index.ts";
import type { AppSettings } from "../config/settings.ts";
import type { HomeTexts } from "../config/home-texts.ts";
import { checkToolsets } from "../config/toolset-names.ts";
import { webhookSettings } from "../config/webhook.ts";
import { type TargetTable, targetTable } from "./senders.ts";
import { subscriptionFile } from "./subscription-file.ts";

/**
 * The settings of the connector, when it can start with them: all that its routes name is there.
 *
 * @throws HostError `config_invalid`
 */
export function checkedWebhookSettings(settings: AppSettings): WebhookSettings {
  const webhook = webhookSettings(settings);
  const table = targetTable(settings);
  for (const route of webhook.routes.values()) checkRouteNames(route, table);
  return webhook;
}

/** Checks a route that is made by command, as it would be served. @throws HostError `config_invalid` */
export function checkSubscription(
  name: string,
  value: unknown,
  { settings, webhook }: { readonly settings: AppSettings; readonly webhook: WebhookSettings },
): void {
  const route = decodeRoute(name, value, webhook.secret);
  checkRoute(route, webhook.host);
  checkRouteNames(route, targetTable(settings));
}

/** Tells what keeps the connector's routes from being served, one sentence each. @throws HostError `config_invalid` */
export function webhookFaults(settings: AppSettings, texts: HomeTexts): readonly string[] {
  const webhook = checkedWebhookSettings(settings);
  const { secretFault } = webhook;
  const subscriptions = Object.entries(subscriptionFile(texts).load());
  return [
    ...(secretFault === undefined
      ? []
      : [`WEBHOOK_SECRET ${secretFault}: /webhooks/agent is off, and no route can use it.`]),
    ...subscriptions.flatMap(([name, value]) => {
      try {
        checkSubscription(name, value, { settings, webhook });
        return [];
      } catch (thrown) {
        return [`Subscription ${name}: ${toHostError(thrown).message}`];
      }
    }),
  ];
}

/** @throws HostError `config_invalid` for a target, a place or a toolset that is not there */
function checkRouteNames({ name, builtIn, ...route }: WebhookRoute, table: TargetTable): void {
  if (builtIn) return;
  const subject = `platforms.webhook.extra.routes.${name}`;
  const invalid = (message: string, cause?: unknown): HostError =>
    new HostError("config_invalid", `The webhook route ${name} cannot be used: ${message}`, {
      cause,
      details: { subject },
    });
  for (const key of Object.keys(route.deliverExtra)) {
    const meant = EXTRA_KEYS.includes(key) ? undefined : nearestName(key, EXTRA_KEYS);
    if (meant !== undefined) throw invalid(`deliver_extra.${key} is no setting. Did you mean ${meant}?`);
  }
  try {
    readTargets(route.deliver, { ...table, extra: route.deliverExtra });
    checkToolsets(route.toolsets ?? []);
  } catch (thrown) {
    throw invalid(toHostError(thrown).message, thrown);
  }
}
