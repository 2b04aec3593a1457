import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { SHORTEST_SECRET, secretWeakness } from "../../http/server/bearer.ts";
import { ENCODED, signingKey } from "../../shared/crypto/standard-webhook.ts";
import { NO_AUTH } from "./authentication.ts";
import { decodeRoute, type WebhookRoute } from "./route.ts";
import { isLoopbackHost } from "../../shared/net/loopback.ts";

/** The settings of the webhook connector. */
export interface WebhookSettings {
  readonly host: string;
  readonly port: number;
  /** Falls in for routes without one; signs callbacks. */
  readonly secret: string | undefined;
  /** Why the built-in route is not there, as the end of a sentence that begins with the secret's name. */
  readonly secretFault: string | undefined;
  /** Why the built-in route is off, in words for people. */
  readonly builtInOff: string | undefined;
  /** Calls a minute and route; 0 is any number. */
  readonly rateLimit: number;
  readonly maxBodyBytes: number;
  /** Milliseconds that a caller who waits is kept waiting. */
  readonly syncMs: number;
  /** Runs at a time; further accepted calls wait. */
  readonly concurrency: number;
  /** Callbacks may go to private addresses. */
  readonly privateCallbacks: boolean;
  /** Hosts and networks that callbacks may go to besides. */
  readonly callbackHosts: readonly string[];
  /** Static routes and the built-in one. */
  readonly routes: ReadonlyMap<string, WebhookRoute>;
}

/** The name of the route that needs no configuration. */
export const BUILT_IN = "agent";

/** The block `platforms.webhook.extra`. */
export const WebhookWire = z.looseObject({
  host: z.string().min(1).default("0.0.0.0"),
  port: z.coerce.number().int().min(0).max(65_535).default(8644),
  secret: z.string().nullish(),
  rate_limit: z.int().min(0).default(30),
  max_body_bytes: z.int().min(1).default(1_048_576),
  agent_route: z.boolean().default(true),
  sync_timeout: z.number().positive().default(600),
  max_concurrent_runs: z.int().min(1).default(100),
  callback_private: z.boolean().default(true),
  callback_hosts: z.array(z.string()).default([]),
  persona: z.string().nullish(),
  routes: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * Reads the settings of the connector, `platforms.webhook.extra`.
 *
 * @param env - goes before the configuration
 * @throws HostError `config_invalid` for whatever it must not start with, naming the key and what to do
 */
export function decodeWebhookSettings(
  extra: unknown,
  env: { readonly port?: string | undefined; readonly secret?: string | undefined },
): WebhookSettings {
  const given = isJsonObject(extra) ? extra : {};
  const result = WebhookWire.safeParse(blank(env.port) ? given : { ...given, port: env.port });
  if (!result.success) {
    const [issue] = result.error.issues;
    throw refused(`${PLACE}.${issue?.path.join(".") ?? ""}`, issue?.message ?? "is not valid");
  }
  const wire = result.data;
  const named = blank(env.secret) ? (wire.secret ?? undefined) : env.secret;
  const secret = blank(named) ? undefined : named;
  const secretFault = secret === undefined ? undefined : webhookSecretFault(secret);
  const builtInOff = reasonOff(wire.agent_route, secret, secretFault);
  const settings: WebhookSettings = {
    host: wire.host,
    port: wire.port,
    secret,
    secretFault,
    builtInOff,
    rateLimit: wire.rate_limit,
    maxBodyBytes: wire.max_body_bytes,
    syncMs: 1000 * wire.sync_timeout,
    concurrency: wire.max_concurrent_runs,
    privateCallbacks: wire.callback_private,
    callbackHosts: wire.callback_hosts,
    routes: routesOf(wire.routes ?? {}, { secret, builtIn: builtInOff === undefined }),
  };
  for (const route of settings.routes.values()) checkRoute(route, settings.host);
  return settings;
}

function reasonOff(
  wanted: boolean,
  secret: string | undefined,
  fault: string | undefined,
): string | undefined {
  if (!wanted) return "agent_route is false";
  if (secret === undefined) return "WEBHOOK_SECRET is not set";
  return fault === undefined ? undefined : `WEBHOOK_SECRET ${fault}`;
}

const PLACE = "platforms.webhook.extra";

const blank = (text: string | null | undefined): boolean =>
  text === undefined || text === null || text.trim() === "";

function routesOf(
  configured: Readonly<Record<string, unknown>>,
  { secret, builtIn }: { readonly secret: string | undefined; readonly builtIn: boolean },
): ReadonlyMap<string, WebhookRoute> {
  const routes = new Map<string, WebhookRoute>();
  for (const [name, value] of Object.entries(configured)) routes.set(name, decodeRoute(name, value, secret));
  if (!builtIn || secret === undefined) return routes;
  if (routes.has(BUILT_IN)) {
    throw refused(
      `${PLACE}.routes.${BUILT_IN}`,
      "has the name of the built-in route. Name it otherwise, or set agent_route: false",
    );
  }
  return routes.set(BUILT_IN, { ...decodeRoute(BUILT_IN, { http_reply: true }, secret), builtIn: true });
}

/** @throws HostError `config_invalid` for a route that would be open to everybody, or to nobody */
export function checkRoute({ name, secret, globalSecret }: WebhookRoute, host: string): void {
  const subject = `${PLACE}.routes.${name}.secret`;
  if (secret === "") {
    throw refused(
      subject,
      "is missing: give the route a secret, or set WEBHOOK_SECRET in the environment file",
    );
  }
  if (secret === NO_AUTH && !isLoopbackHost(host)) {
    throw refused(
      subject,
      `is ${NO_AUTH}, which is for loopback only, but the connector listens on ${host}. Give it a secret, or set host: 127.0.0.1`,
    );
  }
  const fault = webhookSecretFault(secret);
  if (fault === undefined) return;
  const whose = globalSecret ? `WEBHOOK_SECRET, which the route ${name} uses,` : subject;
  throw refused(whose, `${fault}. Make one, for example with \`openssl rand -hex 32\``);
}

const refused = (subject: string, why: string): HostError =>
  new HostError("config_invalid", `${subject} ${why}.`, { details: { subject } });

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/**
 * Tells what is wrong with a secret of the connector or of a route, as the end of a sentence that begins with its name;
 * `undefined` if it is good.
 */
function webhookSecretFault(secret: string): string | undefined {
  if (secret === NO_AUTH) return undefined;
  return secretWeakness(secret) ?? (secret.startsWith(ENCODED) ? encodedFault(secret) : undefined);
}

/** The bytes behind `whsec_` are the key of some proofs. */
function encodedFault(secret: string): string | undefined {
  if (!BASE64.test(secret.slice(ENCODED.length)))
    return `begins with ${ENCODED}, but what follows is no base64. Write base64 of ${SHORTEST_SECRET} or more random bytes behind it, or leave ${ENCODED} out`;
  const key = signingKey(secret);
  if (key.length < SHORTEST_SECRET)
    return `has ${key.length} bytes in base64 behind ${ENCODED}; at least ${SHORTEST_SECRET} are needed`;
  return new Set(key).size === 1 ? "is a placeholder" : undefined;
}
