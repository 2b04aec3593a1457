import { z } from "zod";
import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { asUsage, type ConfigSource, CONFIG_META, invalidSetting } from "./block.ts";
import { configFile } from "./config-schema.ts";
import { readBlock } from "./read-block.ts";
import { isSecretName, secretsInTree } from "./secrets.ts";
import { unreadPlatformKeys } from "./platform-keys.ts";
import { unknownKeys } from "./unknown-keys.ts";

/** What messages call the place of an override. */
export const OVERRIDES_PLACE = "--set";

type Values = Readonly<Record<string, unknown>>;
type Override = readonly [keys: readonly string[], value: unknown];

/** Settings that a variable of the environment replaces: an override wins over that variable, too. */
const VARIABLES: Readonly<Record<string, string>> = {
  "store.url": "AGENT_STORE_URL",
  "store.listen_url": "AGENT_STORE_LISTEN_URL",
  "cluster.advertise": "AGENT_CLUSTER_ADVERTISE",
  "terminal.backend": "AGENT_TERMINAL_BACKEND",
  "platforms.api_server.enabled": "API_SERVER_ENABLED",
  "platforms.api_server.extra.host": "API_SERVER_HOST",
  "platforms.api_server.extra.port": "API_SERVER_PORT",
  "platforms.api_server.extra.model_name": "API_SERVER_MODEL_NAME",
  "platforms.api_server.extra.cors_origins": "API_SERVER_CORS_ORIGINS",
  "platforms.dashboard.enabled": "DASHBOARD_ENABLED",
  "platforms.dashboard.extra.host": "DASHBOARD_HOST",
  "platforms.dashboard.extra.port": "DASHBOARD_PORT",
  "platforms.webhook.enabled": "WEBHOOK_ENABLED",
  "platforms.webhook.extra.port": "WEBHOOK_PORT",
};

/**
 * Lays the overrides of the command line over the configuration and the environment.
 *
 * @param words - each `key=value`
 * @param place - what messages call the place of the words
 * @throws HostError `command_usage` for what is no override, a secret, or no setting
 */
export async function withOverrides(
  { config, env, paths }: ConfigSource,
  words: readonly string[],
  place = OVERRIDES_PLACE,
): Promise<Pick<ConfigSource, "config" | "env">> {
  const overrides = await readOverrides(words, place);
  const alone = overrides.reduce<Values>(laidOver, {});
  refuseSecrets(overrides, { file: paths.env, place });
  const laid = overrides.reduce<Values>(laidOver, config);
  asUsage(() => refuseUnknown(alone, { config: laid, env, paths: { ...paths, config: place } }));
  const replaced = new Set(Object.keys(VARIABLES).filter((key) => has(alone, key.split("."))));
  const names = [...replaced].map((key) => VARIABLES[key]);
  return {
    config: laid,
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name))),
  };
}

/** Reads overrides: keys and a value each. @throws HostError `command_usage` for what is none */
export async function readOverrides(
  words: readonly string[],
  place = OVERRIDES_PLACE,
): Promise<readonly Override[]> {
  const { parseDocument } = await import("yaml");
  const read = (text: string): unknown => {
    const document = parseDocument(text);
    if (document.errors.length > 0) return text;
    try {
      return document.toJS({ maxAliasCount: 0 });
    } catch {
      // An alias of nothing, such as `*.example.com`.
      return text;
    }
  };
  return words.map((word) => readOverride(word, { read, place }));
}

function readOverride(
  word: string,
  { read, place }: { readonly read: (text: string) => unknown; readonly place: string },
): Override {
  const [, key = "", text = ""] = /^\s*([^=]+?)\s*=(.*)$/s.exec(word) ?? [];
  const keys = [...key.matchAll(/"([^"]*)"|([^."]+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  const shown = isSecretName(keys.at(-1) ?? "") ? `${key}=…` : word;
  if (keys.length === 0 || /^\.|\.\.|\.$/.test(key))
    throw usage(`${place} takes a key of config.yaml with its value, such as limits.iterations=20.`);
  if (text.trim() === "")
    throw usage(
      `${place} ${shown} has no value. \`${key}=null\` takes the default, \`${key}=""\` empty text.`,
    );
  return [keys, read(text)];
}

/** Sets a value below a path of keys; `null` takes away what stands there. */
function laidOver(values: Values, [[first = "", ...rest], value]: Override): Values {
  if (rest.length > 0) {
    const below = values[first];
    return { ...values, [first]: laidOver(isJsonObject(below) ? below : {}, [rest, value]) };
  }
  if (value !== null) return { ...values, [first]: value };
  return Object.fromEntries(Object.entries(values).filter(([key]) => key !== first));
}

function has(values: unknown, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true;
  return isJsonObject(values) && Object.hasOwn(values, first) && has(values[first], rest);
}

/** Every user of the machine reads the arguments of a process. */
function refuseSecrets(
  overrides: readonly Override[],
  { file, place }: Readonly<Record<"file" | "place", string>>,
): void {
  for (const [keys, value] of overrides) {
    const tree = keys.reduceRight<unknown>((below, key) => ({ [key]: below }), value);
    if (secretsInTree(tree).length === 0) continue;
    throw usage(
      `${place} ${keys.join(".")} holds a secret, which everybody on this machine could read. Secrets belong into ${file} or the environment.`,
    );
  }
}

/** @throws HostError `config_invalid`: a setting that nothing reads would have no effect, and nobody would notice */
function refuseUnknown(alone: Values, source: ConfigSource): void {
  const [first] = [...unknownKeys(alone, configFile(), { ofReaders: true }), ...unreadPlatformKeys(alone)];
  if (first !== undefined)
    throw invalidSetting(
      first.path,
      `in ${source.paths.config} is no setting. ${first.suggestion === undefined ? "The configuration reference has all of them" : `Did you mean ${first.suggestion}?`}`,
    );
  for (const name of Object.keys(alone)) {
    const schema = checkedLater(name);
    if (schema !== undefined) readBlock(source, name, schema);
  }
}

/** The schema of a block that its reader checks when it needs it. */
function checkedLater(name: string): z.ZodObject | undefined {
  const block = Object.entries(configFile().shape).find(([known]) => known === name)?.[1];
  const schema = block === undefined ? undefined : CONFIG_META.get(block)?.schema;
  return schema instanceof z.ZodObject ? schema : undefined;
}

const usage = (message: string): HostError => new HostError("command_usage", message);
