import { defined } from "../../shared/json/defined.ts";
import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";

/** A webhook route: which calls it accepts, and what happens with them. */
export interface WebhookRoute {
  readonly name: string;
  readonly enabled: boolean;
  /** Accepted event types; all when empty. */
  readonly events: readonly string[];
  /** Own or global; empty refuses every call. */
  readonly secret: string;
  /** It has no secret of its own. */
  readonly globalSecret: boolean;
  readonly prompt?: string;
  readonly skills: readonly string[];
  readonly deliver: string;
  readonly deliverExtra: Readonly<Record<string, unknown>>;
  readonly deliverOnly: boolean;
  readonly httpReply: boolean;
  /** Toolsets of its runs; those of the platform by default, and never more than those. */
  readonly toolsets?: readonly string[];
  /** The route that is always there: it takes questions and callbacks. */
  readonly builtIn: boolean;
}

const names = z.preprocess((given) => (typeof given === "string" ? [given] : given), z.array(z.string()));

/** A route as it is configured. */
export const RouteWire = z.looseObject({
  enabled: z.boolean().default(true),
  events: names.nullish(),
  secret: z.string().nullish(),
  prompt: z.string().nullish(),
  skills: names.nullish(),
  deliver: z.string().nullish(),
  deliver_extra: z.record(z.string(), z.unknown()).nullish(),
  deliver_only: z.boolean().nullish(),
  http_reply: z.boolean().nullish(),
  toolsets: names.nullish(),
});

export const ROUTE_NAME = /^[a-z0-9][a-z0-9_-]{0,99}$/i;

/**
 * Reads a route as it is configured.
 *
 * @param secret - the global one; a route that has an own one, even an empty one, does not use it
 * @throws HostError `config_invalid` naming the route and what is wrong
 */
export function decodeRoute(name: string, value: unknown, secret: string | undefined): WebhookRoute {
  if (!ROUTE_NAME.test(name)) throw invalid(name, "its name must be of letters, digits, - and _");
  const result = RouteWire.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw invalid(name, `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`);
  }
  const wire = result.data;
  const route: WebhookRoute = {
    name,
    enabled: wire.enabled,
    events: wire.events ?? [],
    secret: wire.secret ?? secret ?? "",
    globalSecret: wire.secret == null,
    skills: wire.skills ?? [],
    deliver: wire.deliver ?? "log",
    deliverExtra: wire.deliver_extra ?? {},
    deliverOnly: wire.deliver_only ?? false,
    httpReply: wire.http_reply ?? false,
    builtIn: false,
    ...defined({ prompt: wire.prompt ?? undefined, toolsets: wire.toolsets ?? undefined }),
  };
  if (route.deliverOnly && route.deliver === "log") {
    throw invalid(name, "deliver_only needs a target in `deliver` other than log");
  }
  return route;
}

const invalid = (name: string, why: string): HostError =>
  new HostError(
    "config_invalid",
    `The webhook route ${JSON.stringify(name.slice(0, 100))} cannot be used: ${why}.`,
    { details: { subject: `platforms.webhook.extra.routes.${name}` } },
  );
