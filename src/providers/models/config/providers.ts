import { HostError } from "../../../shared/errors/host-error.ts";
import { defined } from "../../../shared/json/defined.ts";
import { isKind, kindNamed, KINDS, PROVIDER_KINDS, type ProviderKind } from "../dialects/registry.ts";
import type { ProviderKindInfo } from "../dialects/provider-kind.ts";
import type { Endpoint } from "../endpoint/endpoint.ts";
import { OR_SETUP } from "./advice.ts";
import { keyVariablesAt } from "./key-variables.ts";
import type { KeySettings } from "./credentials.ts";
import type { ModelsConfig, ProviderConfig } from "./models-config.ts";
import { parseEndpoint } from "./parse-endpoint.ts";
import { type EnvironmentVariables, valueOf } from "./environment.ts";

/** A provider that can be chosen by its name. */
export interface Provider {
  readonly name: string;
  readonly kind: ProviderKind;
  readonly info: ProviderKindInfo;
  readonly config: ProviderConfig;
  /** Absent: nothing says where it is, or it is the demo. */
  readonly endpoint?: Endpoint;
  readonly key: KeySettings;
  /** Its place in the configuration, for messages. */
  readonly path: string;
}

/** The providers of a configuration. */
export interface Providers {
  readonly byName: ReadonlyMap<string, Provider>;
  /** The provider of sessions that name none. */
  readonly main: Provider;
}

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
  const demo = makeProvider("demo", {}, { path: "model", env });
  const byName = new Map<string, Provider>([["demo", demo]]);
  for (const kind of KINDS)
    if (isInEnvironment(PROVIDER_KINDS[kind], env))
      byName.set(kind, makeProvider(kind, {}, { path: `model.providers.${kind}`, env }));
  for (const [name, entry] of named)
    byName.set(name, makeProvider(name, entry, { path: `model.providers.${name}`, env }));
  const name = mainProvider(config, named);
  if (name === undefined) return { byName, main: byName.get("demo") ?? demo };
  // The settings beside `model.provider` go before the entry of that name.
  const entry = named.get(name);
  const settings = { ...(isElsewhere(block, entry) ? withoutKey(entry) : entry), ...block };
  const main = makeProvider(name, settings, { path: "model", env });
  byName.set(name, main);
  return { byName, main };
}

/** The model that a provider uses when nothing names one. */
export const defaultModel = ({ kind, config }: Provider): string | undefined =>
  kind === "demo" ? "demo" : config.default;

function mainProvider(config: ModelsConfig, named: ReadonlyMap<string, ProviderConfig>): string | undefined {
  const { provider: name, kind, baseUrl } = config;
  const kinds = KINDS.join(", ");
  if (name !== undefined) {
    if (isKind(name) || named.has(name) || kind !== undefined) return name;
    throw unknownMain(
      `model.provider is ${name}, which is no kind of provider (${kinds}) and has no entry in model.providers. Correct it${OR_SETUP}`,
    );
  }
  if (kind !== undefined) return kind;
  if (baseUrl !== undefined) return "local";
  if (config.default === undefined) return undefined;
  throw unknownMain(
    `model.default is ${config.default}, but nothing says whose model that is. Set model.provider to one of ${kinds}${OR_SETUP}`,
  );
}

/** A key goes to the address that it stands beside. */
const isElsewhere = ({ baseUrl }: ProviderConfig, entry: ProviderConfig | undefined): boolean =>
  baseUrl !== undefined &&
  entry?.baseUrl !== undefined &&
  URL.parse(baseUrl)?.host !== URL.parse(entry.baseUrl)?.host;

const withoutKey = ({ apiKey: _key, keyEnv: _variable, ...entry }: ProviderConfig = {}): ProviderConfig =>
  entry;

const unknownMain = (message: string): HostError =>
  new HostError("config_invalid", message, { details: { subject: "model.provider" } });

function makeProvider(
  name: string,
  config: ProviderConfig,
  { path, env }: { readonly path: string; readonly env: EnvironmentVariables },
): Provider {
  const kind = config.kind ?? kindNamed(name) ?? "local";
  const info = PROVIDER_KINDS[kind];
  const { baseUrl, baseUrlVariable } = info;
  const fromEnv = baseUrlVariable === undefined ? undefined : valueOf(env, baseUrlVariable);
  const address = kind === "demo" ? undefined : (config.baseUrl ?? fromEnv ?? baseUrl);
  const subject =
    config.baseUrl === undefined && fromEnv !== undefined ? String(baseUrlVariable) : `${path}.base_url`;
  const endpoint = address === undefined ? undefined : parseEndpoint(address, subject, config.cloudDomains);
  const variables = keyVariablesAt(info, endpoint, env);
  const key: KeySettings = {
    config,
    optional: info.selfHosted === true || kind === "demo",
    path,
    defaultVariables: variables.usable,
    foreignVariables: variables.foreign,
    host: endpoint?.host ?? name,
  };
  return { name, kind, info, config, key, path, ...defined({ endpoint }) };
}

function isInEnvironment(info: ProviderKindInfo, env: EnvironmentVariables): boolean {
  const { baseUrl, baseUrlVariable, keyVariables = [] } = info;
  if (!keyVariables.some(({ name }) => valueOf(env, name) !== undefined)) return false;
  const named = baseUrlVariable === undefined ? undefined : valueOf(env, baseUrlVariable);
  const address = named ?? baseUrl;
  if (address === undefined) return false;
  const endpoint = parseEndpoint(address, String(baseUrlVariable));
  return keyVariablesAt(info, endpoint, env).usable.some((name) => valueOf(env, name) !== undefined);
}
