import type { Policy } from "../../core/index.ts";
import { HostError } from "../../shared/errors/host-error.ts";
import { isJsonObject } from "../../shared/json/json.ts";
import { type ModelsConfig, parseModelsConfig } from "../../providers/models/index.ts";
import type { z } from "zod";
import { changeConfigFile, type ConfigChanges, readConfigFile } from "./config-file.ts";
import { type ClusterSettings, clusterSettings } from "./cluster.ts";
import { readEnvFile } from "./env-file.ts";
import { type HomePaths, homePaths } from "./home.ts";
import { chatPolicy } from "./chat.ts";
import { policyOf } from "./policy.ts";
import { asUsage, type ConfigSource } from "./block.ts";
import { CONFIG_KEYS, type ConfigBlocks, configFile, configFileOf } from "./config-schema.ts";
import { type StoreSettings, storeSettings } from "./store.ts";
import { terminalSettings } from "./terminal.ts";
import { unreadPlatformKeys } from "./platform-keys.ts";
import { type UnknownKey, unknownKeys } from "./unknown-keys.ts";

/** The configuration of the agent: `config.yaml`, then `.env`, then the environment, which wins. */
export interface AppSettings extends ConfigSource {
  readonly policy: Policy;
  readonly models: ModelsConfig;
  /** Milliseconds that running turns get when a server is told to stop. */
  readonly drainMs: number;
  readonly store: StoreSettings;
  readonly cluster: ClusterSettings;
  /** The blocks of the file that were checked. */
  readonly blocks: ConfigBlocks;
}

/**
 * Reads all settings.
 *
 * @param set - overrides of the command line, each `key=value`: they win over file and environment
 * @throws HostError `config_invalid`, naming the key, the problem and the file; `command_usage` for what is no override
 */
export async function loadSettings(
  environment: Readonly<Record<string, string | undefined>>,
  cwd: string,
  set: readonly string[] = [],
): Promise<AppSettings> {
  const paths = homePaths(environment, cwd);
  const file = {
    paths,
    env: { ...readEnvFile(paths.env), ...environment },
    config: await readConfigFile(paths.config),
  };
  const inFile = checkConfig(file.config, paths.config);
  const { OVERRIDES_PLACE, withOverrides } = set.length === 0 ? NO_OVERRIDES : await import("./overrides.ts");
  const { env, config: values } = await withOverrides(file, set);
  const block = values === file.config ? inFile : asUsage(() => checkConfig(values, OVERRIDES_PLACE));
  // A backend that cannot be is found out before a command runs elsewhere.
  terminalSettings({ blocks: block, env });
  const store = storeSettings({ paths, env, blocks: block });
  return {
    paths,
    env,
    policy: { ...policyOf(block), ...chatPolicy({ config: values }) },
    models:
      values["model"] === file.config["model"]
        ? parseModelsConfig(values["model"], paths.config)
        : asUsage(() => parseModelsConfig(values["model"], OVERRIDES_PLACE)),
    drainMs: 1000 * (block.gateway?.drain_timeout ?? 30),
    store,
    cluster: clusterSettings({ paths, env, config: values }, store),
    blocks: block,
    config: values,
  };
}

/** Most processes have no overrides, and need not load how they are read. */
const NO_OVERRIDES = {
  OVERRIDES_PLACE: "",
  withOverrides: (file: ConfigSource): Pick<ConfigSource, "config" | "env"> => file,
};

/**
 * Checks what a configuration says.
 *
 * @param path - the file, for the error
 * @param changed - keys whose values the file does not hold yet
 * @throws HostError `config_invalid`, naming the key, the problem and the file
 */
export function checkConfig(
  values: Readonly<Record<string, unknown>>,
  path: string,
  changed: readonly (readonly string[])[] = [],
): ConfigBlocks {
  // Without a configuration there is nothing to check.
  if (Object.keys(values).length === 0) return {};
  const schema = configFileOf(values);
  const result = schema.safeParse(values);
  if (result.success) {
    const strange = [...unknownKeys(values, schema, { names: CONFIG_KEYS }), ...unreadPlatformKeys(values)];
    const mistyped = strange.find(({ suggestion }) => suggestion !== undefined);
    if (mistyped !== undefined) throw noSetting(mistyped, path);
    return result.data;
  }
  const [issue] = result.error.issues;
  const key = issue?.path.join(".") ?? "";
  const given = JSON.stringify(configValueAt(values, issue?.path ?? []));
  const problem = issue === undefined ? "not valid" : problemOf(issue);
  const isNew = changed.some((keys) => keys.every((name, at) => name === issue?.path[at]));
  throw new HostError(
    "config_invalid",
    isNew
      ? `${key} cannot be ${given}: ${problem}. ${path} stays as it is.`
      : `${key} in ${path} is ${given}: ${problem}. Correct it, or remove the key for the default.`,
    { details: { subject: key } },
  );
}

/** Changes `config.yaml`, unless it could not be used then. @throws HostError `config_invalid`; then it is as it was */
export function changeConfig({ config }: Pick<HomePaths, "config">, changes: ConfigChanges): Promise<void> {
  const changed = changes.map(([keys]) => keys);
  return changeConfigFile(config, changes, (values) => checkConfig(values, config, changed));
}

/** A setting of the wrong kind, in the words of a file; all else as the schema says it. */
function problemOf({ message, ...issue }: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `${issue.keys.join(", ")} is no key of it`;
  if (issue.code !== "invalid_type") return message;
  return `it must be ${KINDS[issue.expected] ?? issue.expected}`;
}

const KINDS: Readonly<Record<string, string>> = {
  object: "a block of settings",
  record: "a block of settings",
  array: "a list",
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
};

/** Keys that nothing here reads: those of other programs, or mistyped ones. */
export const unreadKeys = (values: Readonly<Record<string, unknown>>): readonly UnknownKey[] => [
  ...unknownKeys(values, configFile(), { ofReaders: true }),
  ...unreadPlatformKeys(values),
];

/** A mistyped key is an error: without one, nobody would notice that the setting has no effect. */
const noSetting = ({ path: key, suggestion }: UnknownKey, path: string): HostError =>
  new HostError(
    "config_invalid",
    `${key} in ${path} is no setting. Did you mean ${suggestion ?? "another"}?`,
    {
      details: { subject: key },
    },
  );

/** The value at a path of keys; `undefined` where there is none. */
export function configValueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isJsonObject(value) ? value[String(key)] : value;
  }, values);
}
