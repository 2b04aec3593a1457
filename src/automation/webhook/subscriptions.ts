import { type HostError, toHostError } from "../../shared/errors/host-error.ts";
import { isJsonObject, parseForeignJson } from "../../shared/json/json.ts";
import { decodeRoute, type WebhookRoute } from "./route.ts";
import { checkRoute } from "./settings.ts";

/** The routes that were made by command, by name, as they are in the file. */
export type Subscriptions = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The options of a reader of the subscription file. */
export interface SubscriptionReaderOptions {
  /** The file's text; `undefined` when there is none. */
  readonly read: () => string | undefined;
  /** Falls in for routes without a secret of their own. */
  readonly secret: string | undefined;
  /** The address on which the connector listens. */
  readonly host: string;
  /** Told of routes that cannot be used, once for each content of the file. */
  readonly report: (error: HostError) => void;
}

/**
 * Gives the routes of the subscription file as it is at each call. A file that cannot be read as JSON, because it is
 * half-written or damaged, leaves the routes as they were; a route that cannot be used is left out.
 */
export function subscriptionReader(
  options: SubscriptionReaderOptions,
): () => ReadonlyMap<string, WebhookRoute> {
  let seen: string | undefined;
  let routes: ReadonlyMap<string, WebhookRoute> = new Map();
  return () => {
    const text = options.read() ?? "{}";
    if (text === seen) return routes;
    seen = text;
    try {
      routes = routesOf(readSubscriptions(text), options);
    } catch (thrown) {
      options.report(toHostError(thrown, "config_invalid"));
    }
    return routes;
  };
}

function routesOf(
  subscriptions: Subscriptions,
  { secret, host, report }: SubscriptionReaderOptions,
): ReadonlyMap<string, WebhookRoute> {
  const routes = new Map<string, WebhookRoute>();
  for (const [name, value] of Object.entries(subscriptions)) {
    try {
      const route = decodeRoute(name, value, secret);
      checkRoute(route, host);
      routes.set(name, route);
    } catch (thrown) {
      report(toHostError(thrown));
    }
  }
  return routes;
}

/**
 * Reads the file's text; entries that are no objects are left out. @throws HostError `invalid_params` when it is no
 * JSON
 */
export function readSubscriptions(text: string): Subscriptions {
  const value = text.trim() === "" ? {} : parseForeignJson(text);
  const entries = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(entries.flatMap(([name, route]) => (isJsonObject(route) ? [[name, route]] : [])));
}
