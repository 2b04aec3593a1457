import { z } from "zod";
import { later } from "../../shared/memo/later.ts";
import type { OpenIdSettings } from "../../dashboard/index.ts";
import { defined } from "../../shared/json/defined.ts";
import { type ConfigSource, invalidSetting, isSwitchedOn, key, platformBlock, PORT } from "./block.ts";
import { listOf } from "./web-origins.ts";
import { isLoopbackHost } from "../../shared/net/loopback.ts";

const HOST = "127.0.0.1";
const PORT_OF_DASHBOARD = 8641;

const text = z.string().trim().min(1);
const list = z.union([z.string(), z.array(z.string())]);

/** The block `platforms.dashboard.extra.openid`. */
const openidBlock = later(() =>
  z.looseObject({
    issuer: key(text, "Address of the identity provider at which operators sign in, too."),
    client_id: key(text, "Name of this dashboard there."),
    claim: key(text, "Claim that operators have; a path with dots leads into objects.", "groups"),
    value: key(text, "Value that the claim has, or that is in its list, for an operator."),
    scope: key(text, "What the provider is asked for.", "openid profile email"),
  }),
);

/** The block `platforms.dashboard`. */
export const dashboardBlock = later(() =>
  z.looseObject({
    enabled: key(z.boolean(), "Switches the operator dashboard on.", false),
    extra: z
      .looseObject({
        host: key(text, "Address where it listens.", HOST),
        port: key(PORT, "Port where it listens.", PORT_OF_DASHBOARD),
        allowed_hosts: key(list, "Names of this server besides those of the machine."),
        openid: openidBlock().optional(),
      })
      .optional(),
  }),
);

/** The block `deployment`. */
export const deploymentBlock = later(() =>
  z.looseObject({
    form: key(
      z.enum(["own", "box", "hosted"]),
      "What this home is: a Box is activated at its first sign-in.",
      "own",
    ),
    licence_key: key(text, "Ed25519 key (SPKI, base64) that a Box's licence is signed with."),
  }),
);

/** The settings of the operator dashboard. */
export interface DashboardConfig {
  readonly host: string;
  readonly port: number;
  readonly hostNames: readonly string[];
  readonly form: "own" | "box" | "hosted";
  readonly licenceKey?: string;
  readonly openId?: OpenIdSettings;
}

/** The dashboard is switched on, by `DASHBOARD_ENABLED` or `platforms.dashboard.enabled`. */
export const isDashboardEnabled = (source: ConfigSource): boolean =>
  isSwitchedOn(source, "DASHBOARD_ENABLED", platformBlock(source, "dashboard")["enabled"] === true);

/**
 * Reads the settings of the dashboard: the environment wins over config.yaml.
 *
 * @param machine - the names of this machine
 * @throws HostError `config_invalid`, naming the key
 */
export function dashboardConfig(source: ConfigSource, machine: readonly string[]): DashboardConfig {
  const { env } = source;
  const { extra = {} } = read(dashboardBlock(), platformBlock(source, "dashboard"), "platforms.dashboard");
  const { form = "own", licence_key: licenceKey } = read(
    deploymentBlock(),
    source.config["deployment"] ?? {},
    "deployment",
  );
  const host = env["DASHBOARD_HOST"]?.trim() || (extra.host ?? HOST);
  return {
    host,
    port: portOf(env["DASHBOARD_PORT"]) ?? extra.port ?? PORT_OF_DASHBOARD,
    hostNames: [...machine, host, ...listOf(extra.allowed_hosts)],
    form,
    ...defined({ licenceKey, openId: openIdSettings(extra.openid, env["DASHBOARD_OPENID_SECRET"]) }),
  };
}

const OPENID = "platforms.dashboard.extra.openid";

function openIdSettings(
  block: z.output<ReturnType<typeof openidBlock>> | undefined,
  secret: string | undefined,
): OpenIdSettings | undefined {
  if (block === undefined) return undefined;
  const { issuer, client_id: clientId, value, claim = "groups", scope = "openid profile email" } = block;
  for (const [name, given] of Object.entries({ issuer, client_id: clientId, value }))
    if (given === undefined)
      throw invalidSetting(`${OPENID}.${name}`, "is missing: nobody can sign in at the provider without it");
  const url = URL.parse(issuer ?? "");
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  if (!isSafe)
    throw invalidSetting(`${OPENID}.issuer`, `is ${JSON.stringify(issuer)}: write an https address`);
  return {
    issuer: issuer ?? "",
    clientId: clientId ?? "",
    claim,
    value: value ?? "",
    scope,
    ...defined({ clientSecret: secret?.trim() || undefined }),
  };
}

function read<Schema extends z.ZodType>(schema: Schema, value: unknown, block: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = [block, ...(issue?.path ?? [])].join(".");
  throw invalidSetting(path, `is not valid: ${issue?.message ?? ""}`);
}

function portOf(value: string | undefined): number | undefined {
  if (value === undefined || value.trim() === "") return undefined;
  const port = PORT.safeParse(Number(value));
  if (port.success) return port.data;
  throw invalidSetting("DASHBOARD_PORT", `is ${JSON.stringify(value)}: write a port from 0 to 65535`);
}
