import { HostError } from "../../../shared/errors/host-error.ts";
import type { ModelsConfig, ProviderConfig, ProviderKind } from "./models-config.ts";
import { KINDS } from "./config-schema.ts";
import type { KeySettings } from "./credentials.ts";
import type { EnvironmentVariables } from "./timeouts.ts";
import { type Endpoint, MESSAGES_VENDOR, parseEndpoint } from "../endpoint/endpoint.ts";

/** A provider that can be chosen by its name. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly config: ProviderConfig;
  /** Absent: nothing says where it is, or it is the demo. */
  readonly endpoint?: Endpoint;
  readonly key: KeySettings;
  /** Where it stands in the configuration, for messages. */
  readonly path: string;
}

export interface Providers {
  readonly byName: ReadonlyMap<string, Provider>;
  /** The one that sessions use when they name none. */
  readonly main: Provider;
}

/** What a kind of provider has without being told. */
interface KindDefaults {
  readonly baseUrl?: string;
  readonly baseUrlVariable?: string;
  readonly keyVariables?: readonly string[];
}

const DEFAULTS: Readonly<Record<ProviderKind, KindDefaults>> = {
  "cloud-foundry": { baseUrlVariable: "CLOUD_FOUNDRY_BASE_URL", keyVariables: ["CLOUD_FOUNDRY_API_KEY"] },
  openai: {
    baseUrl: "https://api.openai.com/v1",
    baseUrlVariable: "OPENAI_BASE_URL",
    keyVariables: ["OPENAI_API_KEY"],
  },
  local: { baseUrl: "http://localhost:8080/v1" },
  messages: {
    baseUrl: "https://api.anthropic.com",
    baseUrlVariable: "ANTHROPIC_BASE_URL",
    keyVariables: ["CLOUD_MESSAGES_KEY", "ANTHROPIC_API_KEY"],
  },
  demo: {},
};

/**
 * The providers of a configuration: the one that its block describes, the ones in `providers`, the kinds whose key and
 * address are in the environment, and the demo.
 *
 * @throws HostError `config_invalid`
 */
export function providersOf(config: ModelsConfig, env: EnvironmentVariables): Providers {
  const {
    provider: _name,
    providers: named = new Map<string, ProviderConfig>(),
    fallback: _list,
    ...block
  } = config;
  const byName = new Map<string, Provider>([["demo", provider("demo", {}, { path: "model", env })]]);
  for (const kind of KINDS)
    if (isInEnvironment(kind, env))
      byName.set(kind, provider(kind, {}, { path: `model.providers.${kind}`, env }));
  for (const [name, entry] of named)
    byName.set(name, provider(name, entry, { path: `model.providers.${name}`, env }));
  const main = mainProvider(config, named);
  // What stands beside `model.provider` goes before the entry of that name.
  if (main !== undefined)
    byName.set(main, provider(main, { ...named.get(main), ...block }, { path: "model", env }));
  return { byName, main: byName.get(main ?? "demo") ?? provider("demo", {}, { path: "model", env }) };
}

function mainProvider(config: ModelsConfig, named: ReadonlyMap<string, ProviderConfig>): string | undefined {
  const { provider: name, kind, baseUrl } = config;
  if (name !== undefined) {
    if (isKind(name) || named.has(name) || kind !== undefined) return name;
    throw new HostError(
      "config_invalid",
      `model.provider is ${name}, which is no kind of provider (${KINDS.join(", ")}) and has no entry in model.providers.`,
      { details: { subject: "model.provider" } },
    );
  }
  if (kind !== undefined) return kind;
  if (baseUrl !== undefined) return "local";
  if (config.default === undefined) return undefined;
  throw new HostError(
    "config_invalid",
    `model.default is ${config.default}, but nothing says whose model that is. Set model.provider to one of ${KINDS.join(", ")}.`,
    { details: { subject: "model.provider" } },
  );
}

function provider(
  name: string,
  config: ProviderConfig,
  { path, env }: { readonly path: string; readonly env: EnvironmentVariables },
): Provider {
  const kind = config.kind ?? (isKind(name) ? name : "local");
  const { baseUrl, baseUrlVariable, keyVariables = [] } = DEFAULTS[kind];
  const fromEnv = baseUrlVariable === undefined ? undefined : env[baseUrlVariable]?.trim() || undefined;
  const address = kind === "demo" ? undefined : (config.baseUrl ?? fromEnv ?? baseUrl);
  const subject =
    config.baseUrl === undefined && fromEnv !== undefined ? String(baseUrlVariable) : `${path}.base_url`;
  const endpoint = address === undefined ? undefined : parseEndpoint(address, subject, config.cloudDomains);
  // The vendor of the messages dialect is not shown the key for another host, nor the other way round.
  const isVendor = kind === "messages" && endpoint?.host === MESSAGES_VENDOR;
  const defaultVariables = isVendor ? keyVariables.toReversed() : keyVariables;
  const key: KeySettings = { config, optional: kind === "local", path, defaultVariables };
  return { name, kind, config, key, path, ...(endpoint === undefined ? {} : { endpoint }) };
}

function isInEnvironment(kind: ProviderKind, env: EnvironmentVariables): boolean {
  const { baseUrl, baseUrlVariable, keyVariables = [] } = DEFAULTS[kind];
  const isSet = (name: string): boolean => (env[name]?.trim() ?? "") !== "";
  const hasAddress = baseUrl !== undefined || (baseUrlVariable !== undefined && isSet(baseUrlVariable));
  return hasAddress && keyVariables.some(isSet);
}

const isKind = (name: string): name is ProviderKind => KINDS.some((kind) => kind === name);
