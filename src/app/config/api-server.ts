import { totalmem } from "node:os";
import { invalidSetting, isSwitchedOn } from "./block.ts";
import { listOf, webOrigins } from "./web-origins.ts";
import { API_DEFAULTS, type ApiSettings, secretFault } from "../../http/index.ts";
import type { AppSettings } from "./settings.ts";

const PORT = 8642;
const HOST = "127.0.0.1";

/** The API server is switched on, by `API_SERVER_ENABLED` or `platforms.api_server.enabled`. */
export const isApiServerEnabled = (settings: AppSettings): boolean =>
  isSwitchedOn(settings, "API_SERVER_ENABLED", settings.blocks.platforms?.api_server?.enabled ?? false);

/**
 * Reads the settings of the API server: the environment wins over `platforms.api_server` of config.yaml.
 *
 * @param where - the workspace of its sessions, and the names of this machine
 * @throws HostError `config_invalid`
 */
export function apiServerConfig(
  settings: AppSettings,
  where: { readonly workspace: string; readonly hostNames: readonly string[] },
) {
  const { env, blocks } = settings;
  const extra = blocks.platforms?.api_server?.extra ?? {};
  const host = textOf(env["API_SERVER_HOST"]) ?? textOf(extra.host) ?? HOST;
  const { max_concurrent_runs: limit, max_queued_runs: queued } = blocks.gateway?.api_server ?? {};
  const port = portOf(env["API_SERVER_PORT"]) ?? extra.port ?? PORT;
  const read: ApiSettings = {
    ...API_DEFAULTS,
    key: keyOf(env["API_SERVER_KEY"]),
    modelName:
      textOf(env["API_SERVER_MODEL_NAME"]) ??
      textOf(extra.model_name) ??
      profileName(blocks.profile ?? settings.paths.profile),
    corsOrigins: webOrigins(settings),
    hostNames: [...where.hostNames, host, ...listOf(extra.allowed_hosts)],
    maxConcurrentRuns: Math.max(0, limit ?? runsFor(totalmem())),
    // Who sets how many run has a reason to refuse the others at once, such as a proxy that tries the next host.
    maxQueuedRuns: queued ?? (limit === undefined ? QUEUED_RUNS : 0),
    maxBodyBytes: extra.max_body_bytes ?? API_DEFAULTS.maxBodyBytes,
    disconnectGraceMs:
      extra.disconnect_grace === undefined ? API_DEFAULTS.disconnectGraceMs : 1000 * extra.disconnect_grace,
    reasoning: extra.reasoning ?? API_DEFAULTS.reasoning,
    toolItems: extra.tool_items ?? API_DEFAULTS.toolItems,
    workspace: where.workspace,
  };
  return { settings: read, host, port };
}

/** Turns that wait; each is little more than its request. */
const QUEUED_RUNS = 1000;
/** Bytes of memory of the machine for one turn. */
const BYTES_PER_RUN = 16 * 1024 * 1024;

/** Turns at once that a machine with so many bytes of memory has room for. */
const runsFor = (bytes: number): number =>
  Math.min(1000, Math.max(API_DEFAULTS.maxConcurrentRuns, Math.floor(bytes / BYTES_PER_RUN)));

function keyOf(value: string | undefined): string {
  const key = value?.trim() ?? "";
  const fault = secretFault(key);
  if (fault === undefined) return key;
  const remedy =
    "Make one, for example with `openssl rand -hex 32`, and put it into the .env file of the agent's home";
  throw invalidSetting(
    "API_SERVER_KEY",
    `${fault}; the API server does not start without a good key. ${remedy}`,
  );
}

function textOf(value: string | undefined): string | undefined {
  const text = value?.trim() ?? "";
  return text === "" ? undefined : text;
}

function portOf(value: string | undefined): number | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw invalidSetting("API_SERVER_PORT", `is ${JSON.stringify(text)}: write a port from 0 to 65535`);
}

/** A profile's name is the agent's, unless it says nothing. */
function profileName(profile: string | undefined): string {
  const name = textOf(profile);
  return name === undefined || name === "default" || name === "custom" ? API_DEFAULTS.modelName : name;
}
