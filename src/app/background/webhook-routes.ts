import { defined } from "../../shared/json/defined.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { messageOf } from "../../shared/errors/host-error.ts";
import { urlHost } from "../../shared/net/url-parts.ts";
import type { WebhookSettings } from "../../automation/webhook/index.ts";
import { platformBlock } from "../config/block.ts";
import type { HomeTexts } from "../config/home-texts.ts";
import type { AppSettings } from "../config/settings.ts";
import { webhookSettings } from "../config/webhook.ts";
import { subscriptionFile } from "./subscription-file.ts";

/** A route as it is listed. */
export interface ListedRoute {
  readonly name: string;
  /** Where the route is defined. */
  readonly source: "built in" | "config.yaml" | "subscription";
  /** Why it takes no calls. */
  readonly off?: string;
  /** As they are written, the secret among them. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The routes of a home, and why none is served. */
export interface ListedRoutes {
  readonly routes: readonly ListedRoute[];
  readonly fault?: string;
}

/** All routes, also those that cannot be served: built in, of config.yaml as they stand there, and subscriptions. */
export function webhookRoutes(settings: AppSettings, texts: HomeTexts): ListedRoutes {
  const written = [...configuredRoutes(settings), ...subscriptions(texts)];
  try {
    const { builtInOff: off } = webhookSettings(settings);
    const description = "The agent itself: its prompt is the payload's message";
    const fields = { description, deliver: "the answer, or its callback_url" };
    return { routes: [{ name: "agent", source: "built in", fields, ...defined({ off }) }, ...written] };
  } catch (thrown) {
    return { routes: written, fault: messageOf(thrown) };
  }
}

function configuredRoutes(settings: AppSettings): readonly ListedRoute[] {
  const { extra } = platformBlock(settings, "webhook");
  const configured = isJsonObject(extra) && isJsonObject(extra["routes"]) ? extra["routes"] : {};
  return Object.entries(configured).map(([name, value]) => {
    const fields = isJsonObject(value) ? value : {};
    const off = fields["enabled"] === false ? "enabled: false" : undefined;
    return { name, source: "config.yaml", fields, ...defined({ off }) };
  });
}

const subscriptions = (texts: HomeTexts): readonly ListedRoute[] =>
  Object.entries(subscriptionFile(texts).load()).map(([name, fields]) => ({
    name,
    source: "subscription",
    fields,
  }));

/** The address of a route, for programs on this machine. */
export function routeUrl({ host, port }: Pick<WebhookSettings, "host" | "port">, name: string): string {
  const wildcard = host === "0.0.0.0" || host === "::";
  return `http://${wildcard ? "localhost" : urlHost(host)}:${port}/webhooks/${name}`;
}
